"""Topics: replaced by a file, given in another language by a file, or changed one at a time."""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path

from django.db import transaction

from config.errors import Invalid, Refusal
from config.expected import NOTHING, require_text
from config.models import User
from pooling.core import languages
from pooling.core.findings import Report, shown
from pooling.core.lines import listed_topics
from pooling.core.topics import TEXTS, TopicSpec, read_topics
from pooling.models import Collection, Topic, TopicVersion, Upload, UploadKind, UploadState
from pooling.services.collections import require_not_archived
from pooling.services.taking import Refused, close, locked, unpacked
from pooling.services.work import Work

LONGEST = {"title": 5000, "description": 50_000, "narrative": 50_000}
_FIELDS = [*TEXTS, "language", "translations", "extra"]


def take_topics(upload: Upload, path: Path, report: Report, work: Work) -> Report:
    work.progress(0, message="Reading the topics")
    options = upload.options
    topics, report = read_topics(
        unpacked(path),
        encoding=options.get("encoding", "utf-8"),
        numbering="running" if options.get("numbering") == "running" else "given",
        language=options.get("language", ""),
    )
    if not report.ok:
        return report
    work.progress(0, message=f"Storing {len(topics):,} topics")
    with work.finish(f"{len(topics):,} topics"):
        collection = locked(upload.collection_id, UploadKind.TOPICS)
        if options.get("parallel"):
            _translate(collection, topics, report)
        else:
            _replace(collection, topics, report, drop=bool(options.get("drop")))
        close(upload, UploadState.ACCEPTED, report, {"topics": len(topics)})
    return report


def _replace(collection: Collection, specs: list[TopicSpec], report: Report, *, drop: bool) -> None:
    """The collection's topics become these. One that stays keeps its row, since pooled items hang on it.

    Fewer topics than before are taken only from somebody who said so, and one with pooled documents is never dropped.
    """
    present = {topic.number: topic for topic in collection.topics.all()}
    changed: list[Topic] = []
    fresh: list[Topic] = []
    others: list[str] = []
    for spec in specs:
        old = present.pop(spec.number, None)
        if old and old.title != spec.title:
            others.append(spec.number)
        topic = old or Topic(collection=collection, number=spec.number)
        topic.title, topic.description, topic.narrative = spec.title, spec.description, spec.narrative
        topic.language, topic.translations, topic.extra = spec.language, spec.versions, spec.extra
        (changed if old else fresh).append(topic)
    _require_droppable(collection, set(present), drop=drop)
    Topic.objects.filter(pk__in=[topic.pk for topic in present.values()]).delete()
    Topic.objects.bulk_create(fresh, batch_size=500)
    Topic.objects.bulk_update(changed, _FIELDS, batch_size=200)
    if others:
        report.add(
            "warning", "TOPIC_CHANGED", 0, f"{_the(others)} {'has' if len(others) == 1 else 'have'} another title than before."
        )


def _require_droppable(collection: Collection, lost: set[str], *, drop: bool) -> None:
    held = collection.topics.filter(number__in=lost, items__isnull=False).distinct().values_list("number", flat=True)
    if pooled := list(held):
        many = len(pooled) > 1
        which = _the(pooled)
        words = f"{which} {'are' if many else 'is'} not in the file, but documents were pooled for {'them' if many else 'it'}; leave {'them' if many else 'it'} in."
        raise Refused("TOPIC_POOLED", words)
    if lost and not drop:
        which, many = _the(lost), len(lost) > 1
        lose = f"{which} of the collection {'are' if many else 'is'} not in the file and would be dropped"
        raise Refused("TOPICS_DROPPED", f"{lose}; to drop {'them' if many else 'it'}, send the file again and say so.")


def _the(numbers: Iterable[str]) -> str:
    """Topics at the head of a sentence."""
    return f"T{listed_topics(numbers)[1:]}"


def _translate(collection: Collection, specs: list[TopicSpec], report: Report) -> None:
    """Each topic of the file is a version, in the file's language, of the topic of the same number."""
    present = {topic.number: topic for topic in collection.topics.all()}
    for spec in specs:
        topic = present.pop(spec.number, None)
        if topic is None:
            raise Refused("TOPIC_UNKNOWN", f"Topic {shown(spec.number)} of the file is not part of this collection.")
        if not spec.language or spec.language == topic.language:
            expected = f"another language than {topic.language}" if spec.language else "a language for the file, such as fr"
            raise Refused("LANGUAGE", f"Topic {shown(spec.number)} needs {expected}.")
        topic.translations = {**topic.translations, spec.language: spec.texts, **replace(spec).versions}
        topic.save(update_fields=["translations"])
    if present:
        report.add("warning", "TOPIC_MISSING", 0, f"{_the(present)} {'is' if len(present) == 1 else 'are'} not in the file.")


def cleaned_texts(texts: Mapping[str, str]) -> dict[str, str]:
    """A topic's words as they are stored, here or in a draft."""
    for name, most in LONGEST.items():
        require_text(name, texts.get(name, "").replace("\0", ""), most)
    cleaned = {name: " ".join(texts.get(name, "").replace("\0", "").split()) for name in TEXTS}
    if not cleaned["title"]:
        raise Invalid("title", NOTHING)
    return cleaned


def require_language(language: str) -> str:
    if language and not languages.is_tag(language):
        raise Invalid("language", f"Expected a language tag such as en or pt-BR; found “{shown(language)}”.")
    return language


@transaction.atomic
def edit_topic(topic: Topic, *, by: User, language: str, texts: Mapping[str, str], of: str = "") -> Topic:
    """Change a topic, or with `of` its version in that language. After the first judgment the old words are kept as a version."""
    collection = Collection.objects.select_for_update(no_key=True).get(pk=topic.collection_id)
    require_not_archived(collection)
    topic = Topic.objects.select_for_update(no_key=True).get(pk=topic.pk)
    topic.collection = collection
    cleaned, language = cleaned_texts(texts), require_language(language.strip())
    if of and of not in topic.translations:
        raise Refusal(f"Topic {topic.number} has no version in “{shown(of)}”.")
    before = {name: getattr(topic, name) for name in (*TEXTS, "language", "translations")}
    if of:
        topic.translations = {**topic.translations, of: cleaned}
    else:
        for name, value in cleaned.items():
            setattr(topic, name, value)
        topic.language = language
    if all(getattr(topic, name) == value for name, value in before.items()):
        return topic
    if collection.topics_frozen:
        TopicVersion.objects.create(topic=topic, version=topic.version, changed_by=by, **before)
        topic.version += 1
    topic.save(update_fields=[*before, "version"])
    return topic
