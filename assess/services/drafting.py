"""Developing topics: tried out by searching, accepted or dropped, and then the list is closed."""

from collections.abc import Mapping

from django.db import IntegrityError, transaction
from django.utils import timezone

from assess.models import DraftGrade, DraftState, TopicDraft
from config.errors import Conflict, Invalid, Refusal
from config.expected import no_such, require_text, shown
from config.models import User
from pooling import selectors as pooled
from pooling.core.query import MOST_LETTERS
from pooling.core.topics import TEXTS
from pooling.models import Collection, Topic
from pooling.services.collections import require_grade, require_not_archived
from pooling.services.topics import cleaned_texts, require_language

MOST_REASON = 300
MORE = 8  # hits of each band that are drawn in addition
MOST = 40


def _open(collection: Collection) -> Collection:
    """The collection's row, locked, if topics may still come."""
    found = Collection.objects.select_for_update().get(pk=collection.pk)
    require_not_archived(found)
    if found.topics_frozen:
        why = "judging has begun" if found.judging_started_at else "open them again first"
        raise Conflict(f"The topics are frozen: {why}.")
    return found


def _draft(draft: TopicDraft) -> TopicDraft:
    _open(draft.collection)
    found = TopicDraft.objects.select_for_update().get(pk=draft.pk)
    if found.state != DraftState.OPEN:
        raise Conflict(f"The draft of topic {found.number} is {found.get_state_display()}; expected one that is open.")
    return found


def _words(texts: Mapping[str, str], words: str) -> dict[str, str]:
    require_text("words", words.replace("\0", ""), MOST_LETTERS)
    cleaned = cleaned_texts(texts)
    return {**cleaned, "words": " ".join((words or cleaned["title"]).replace("\0", "").split())[:MOST_LETTERS]}


def _number(collection: Collection, number: str, but: int = 0) -> str:
    number = number.replace("\0", "").strip()
    if not number or len(number) > 255 or len(number.split()) > 1:
        raise Invalid("number", f"Expected a number for the topic, without blanks; found “{shown(number)}”.")
    if collection.topics.filter(number=number).exists():
        raise Conflict(f"There is a topic {number} already.")
    if collection.drafts.filter(number=number, state=DraftState.OPEN).exclude(pk=but).exists():
        raise Conflict(f"There is a draft of topic {number} already.")
    return number


@transaction.atomic
def create_draft(
    collection: Collection, *, by: User, number: str, texts: Mapping[str, str], words: str = "", language: str = ""
) -> TopicDraft:
    """A draft is no topic: nobody but organizers learns of it."""
    _open(collection)
    number, given = _number(collection, number), _words(texts, words)
    return TopicDraft.objects.create(
        collection=collection, number=number, language=require_language(language.strip()), created_by=by, **given
    )


@transaction.atomic
def edit_draft(draft: TopicDraft, *, number: str, texts: Mapping[str, str], words: str = "", language: str = "") -> TopicDraft:
    found = _draft(draft)
    for name, value in _words(texts, words).items():
        setattr(found, name, value)
    found.number, found.language = _number(found.collection, number, found.pk), require_language(language.strip())
    found.save()
    return found


@transaction.atomic
def draw_more(draft: TopicDraft) -> TopicDraft:
    """More hits of each band are to be judged; those that are listed stay among them."""
    found = _draft(draft)
    found.per_band = min(MOST, found.per_band + MORE)
    found.save(update_fields=["per_band"])
    return found


@transaction.atomic
def grade_hit(draft: TopicDraft, *, by: User, docno: str, grade: int) -> DraftGrade:
    found = _draft(draft)
    require_grade(found.collection, grade)
    if pooled.document(found.collection, docno) is None:
        raise Refusal(no_such("document", docno))
    said, _ = DraftGrade.objects.update_or_create(
        draft=found, docno=docno, defaults={"grade": grade, "by": by, "at": timezone.now()}
    )
    return said


@transaction.atomic
def accept_draft(draft: TopicDraft, *, by: User, reason: str = "") -> Topic:
    """The draft becomes a topic, for everybody to see. Its trial grades stay with the draft, and count for nothing."""
    found = _draft(draft)
    given = {name: getattr(found, name) for name in ("number", *TEXTS, "language")}
    try:
        with transaction.atomic():
            topic = Topic.objects.create(collection=found.collection, **given)
    except IntegrityError:  # a file brought it, or another draft
        raise Conflict(f"There is a topic {found.number} already. Give the draft another number, then accept it.") from None
    _decide(found, DraftState.ACCEPTED, by, reason, topic)
    return topic


@transaction.atomic
def drop_draft(draft: TopicDraft, *, by: User, reason: str = "") -> TopicDraft:
    return _decide(_draft(draft), DraftState.DROPPED, by, reason)


def _decide(draft: TopicDraft, state: DraftState, by: User, reason: str, topic: Topic | None = None) -> TopicDraft:
    require_text("reason", reason.replace("\0", ""), MOST_REASON)
    draft.state, draft.reason, draft.topic = state, " ".join(reason.replace("\0", "").split()), topic
    draft.decided_by, draft.decided_at = by, timezone.now()
    draft.save()
    return draft


@transaction.atomic
def freeze_topics(collection: Collection) -> Collection:
    """Close the list of topics: none comes or goes, and a change of one is a version of it."""
    found = _open(collection)
    if not found.topics.exists():
        raise Conflict("There are no topics yet: accept or upload some first.")
    if left := found.drafts.filter(state=DraftState.OPEN).count():
        words = (
            "1 draft of a topic is open: accept or drop it"
            if left == 1
            else f"{left} drafts of topics are open: accept or drop them"
        )
        raise Conflict(f"{words} first.")
    found.topics_frozen_at = timezone.now()
    found.save(update_fields=["topics_frozen_at"])
    return found


@transaction.atomic
def open_topics(collection: Collection) -> Collection:
    """Take the freezing back, which only the first judgment makes final."""
    found = Collection.objects.select_for_update().get(pk=collection.pk)
    if found.judging_started_at:
        raise Conflict("Judging has begun: the topics stay frozen.")
    if found.topics_frozen_at is None:
        raise Conflict("The topics are not frozen.")
    found.topics_frozen_at = None
    found.save(update_fields=["topics_frozen_at"])
    return found
