"""The docnos that runs are checked against: read once for an import, kept in a file, never those of other documents."""

from pathlib import Path

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from pytest_django import Settings

from pooling.docnos import all_docnos
from pooling.models import Collection, Corpus, Document, UploadKind
from tests.conftest import Cast
from tests.pooling.files import documents, take


@pytest.fixture(autouse=True)
def _own_data(settings: Settings, tmp_path: Path) -> None:
    settings.DATA = tmp_path


def found(collection: Collection) -> tuple[list[bytes] | None, int]:
    """What is found, and how often all rows were asked for."""
    with CaptureQueriesContext(connection) as asked:
        docnos = all_docnos(collection)
    whole = [query for query in asked if "pooling_document" in query["sql"] and "ORDER BY" not in query["sql"]]
    return None if docnos is None else sorted(docnos.tolist()), len(whole)


def kept(tmp_path: Path) -> list[Path]:
    return sorted((tmp_path / "cache").iterdir())


def test_read_once_for_each_import(cast: Cast, tmp_path: Path) -> None:
    assert found(cast.collection) == (None, 0)
    take(cast.collection, cast.organizer, UploadKind.DOCUMENTS, documents(["b", "a"]))
    assert [found(cast.collection) for _ in range(2)] == [([b"a", b"b"], 1), ([b"a", b"b"], 0)]
    take(cast.collection, cast.organizer, UploadKind.DOCUMENTS, documents(["c"]), others="keep")
    assert [found(cast.collection) for _ in range(2)] == [([b"a", b"b", b"c"], 1), ([b"a", b"b", b"c"], 0)]
    assert len(kept(tmp_path)) == 1  # the one before is gone


def test_file_that_is_cut_off_or_gone_is_made_again(cast: Cast, tmp_path: Path) -> None:
    take(cast.collection, cast.organizer, UploadKind.DOCUMENTS, documents(["b", "a"]))
    found(cast.collection)
    (file,) = kept(tmp_path)
    for data in (b"", file.read_bytes()[:100]):
        file.write_bytes(data)
        assert [found(cast.collection) for _ in range(2)] == [([b"a", b"b"], 1), ([b"a", b"b"], 0)]
    file.unlink()
    assert found(cast.collection) == ([b"a", b"b"], 1)


def test_database_that_was_put_back_is_not_told_of_the_documents_before(cast: Cast) -> None:
    """A restore may bring other documents under the same numbers of corpus and generation."""
    take(cast.collection, cast.organizer, UploadKind.DOCUMENTS, documents(["b", "a"]))
    found(cast.collection)
    corpus = Corpus.objects.get(collection=cast.collection)
    Document.objects.filter(corpus=corpus).delete()
    Document.objects.bulk_create(Document(corpus=corpus, generation=corpus.generation, docno=name, text="x") for name in "xy")
    assert found(cast.collection) == ([b"x", b"y"], 1)


def test_without_room_all_is_read_each_time(cast: Cast, tmp_path: Path) -> None:
    take(cast.collection, cast.organizer, UploadKind.DOCUMENTS, documents(["a"]))
    (tmp_path / "cache").write_text("where the folder would be")
    assert [found(cast.collection) for _ in range(2)] == [([b"a"], 1), ([b"a"], 1)]
