"""Django finds an app's models here."""

from pooling.models.collections import (
    Collection,
    Corpus,
    Document,
    Genre,
    Grade,
    Guideline,
    Invitation,
    Membership,
    Role,
    Topic,
    TopicVersion,
    Upload,
    UploadKind,
    UploadState,
    Visibility,
)
from pooling.models.pools import NotDrawn, Pick, Pool, PoolItem, TopicStop
from pooling.models.runs import Run, RunKind, RunVersion, WithdrawnRun
from pooling.models.search import IndexedDocument, IndexedTerm, SearchIndex, TermVector

__all__ = [
    "Collection",
    "Corpus",
    "Document",
    "Genre",
    "Grade",
    "Guideline",
    "IndexedDocument",
    "IndexedTerm",
    "Invitation",
    "Membership",
    "NotDrawn",
    "Pick",
    "Pool",
    "PoolItem",
    "Role",
    "Run",
    "RunKind",
    "RunVersion",
    "SearchIndex",
    "TermVector",
    "Topic",
    "TopicStop",
    "TopicVersion",
    "Upload",
    "UploadKind",
    "UploadState",
    "Visibility",
    "WithdrawnRun",
]
