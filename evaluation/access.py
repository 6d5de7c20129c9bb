"""Whose scores somebody may see: every page, endpoint and download of scores begins here."""

from config.errors import Forbidden
from evaluation import columns
from evaluation.models import Seen
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


def all_scores_for(user: access.Anyone, slug: str) -> Collection:
    """The same for what tells of all runs at once, by name: for who may see them all."""
    collection = scores_for(user, slug)
    if collection.scores_seen[0] != Seen.ALL:
        raise Forbidden("This tells of all runs by name; the organizers show others' scores without names, or not at all.")
    return collection
