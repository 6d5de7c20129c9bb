"""“Ask the organizer”: threads between an assessor and the organizers, each about one document."""

import uuid

from django.db import transaction
from django.http import Http404
from django.urls import reverse
from django.utils import timezone

from assess.models import Message, Seat
from config import expected
from config.errors import Conflict, Invalid, Missing
from config.models import User
from pooling.models import Collection

MOST_TEXT = 2000


def _words(text: str) -> str:
    words = text.strip()
    if not words:
        raise Invalid("text", expected.NOTHING)
    expected.require_text("text", words, MOST_TEXT)
    return words


@transaction.atomic
def ask(collection: Collection, *, assessor: User, seat: uuid.UUID, text: str) -> Message:
    """Ask about a document of one's own, or ask on. The same words sent twice in a row are one question."""
    found = Seat.objects.filter(collection=collection, assessor=assessor, token=seat).first()
    if found is None:
        raise Http404
    if collection.is_archived:
        raise Conflict("This collection is archived: nobody answers any more.")
    words = _words(text)
    last = Message.objects.filter(item=found.item_id, assessor=assessor).order_by("-pk").first()
    if last and last.author_id == assessor.pk and last.text == words:
        return last
    return Message.objects.create(item_id=found.item_id, assessor=assessor, author=assessor, text=words)


@transaction.atomic
def answer(collection: Collection, *, by: User, question: int, text: str) -> Message:
    """Answer a thread, named by any of its messages: all its questions are answered, and its assessor is told."""
    found = Message.objects.filter(pk=question, item__topic__collection=collection).first()
    if found is None:
        words, inbox = expected.no_such("question", question), reverse("questions", args=[collection.slug])
        raise Missing(words, href=inbox, label="Questions")
    words = _words(text)
    thread = Message.objects.filter(item=found.item_id, assessor=found.assessor_id)
    thread.filter(author=found.assessor_id, done_at=None).update(done_at=timezone.now())
    return Message.objects.create(item_id=found.item_id, assessor_id=found.assessor_id, author=by, text=words)


def see_answers(collection: Collection, *, assessor: User) -> int:
    """The assessor has seen what was answered."""
    unseen = Message.objects.filter(assessor=assessor, item__topic__collection=collection, done_at=None)
    return unseen.exclude(author=assessor).update(done_at=timezone.now())
