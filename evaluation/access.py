"""Whose scores somebody may see: every page, endpoint and download of scores begins here."""

from evaluation import columns
from pooling import access
from pooling.models import Collection


def scores_for(user: access.Anyone, slug: str) -> Collection:
    """The collection, if its releases are for this user; it knows which of them, and whose scores they may see.

    What organizers set holds for everybody else: a participant must not see more by signing out.
    """
    collection = access.released_to(user, slug)
    if collection.release_states is not None:
        collection.scores_seen = columns.plan(collection).seen, user.pk
    return collection
