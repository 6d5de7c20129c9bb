"""A document's other fields: which are kept, and how they are stored."""

import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pooling.core import extra
from pooling.core.documents import read_documents
from pooling.core.findings import Report
from pooling.models import Document, UploadKind
from tests.conftest import Cast
from tests.pooling import files

CACM = b".I 1\n.T\nEngines\n.A\nPrieve, B. G.\nPooch, U.\n.B\nCACM May, 1958\n.K\nroots,\n  errors\n.X\n1 5 1\n"


def test_text_numbers_and_lists_of_texts_are_kept_in_order() -> None:
    given = {"year": 1958, "by": ["Pooch ", "", "Prieve"], "score": 0.5, "open": True, "a\n b": " two\n\tlines ", "none": None}
    kept = {"year": "1958", "by": "Pooch; Prieve", "score": "0.5", "open": "true", "a b": "two lines"}
    assert extra.plain(given) == (kept, [], []) and list(extra.plain(given).kept) == list(kept)
    assert extra.plain({"metadata": {"year": 1958, "in": {}}, "year": 1960}) == ({"year": "1958"}, ["year"], [])


def test_objects_vectors_and_too_many_are_left_out_and_the_long_is_cut() -> None:
    given = {"vector": [0.1, 0.2], "by": [{"name": "x"}], "of": {"a": 1}, "": "x", "empty": [], "none": {}, "long": "a " * 900}
    kept, left, cut = extra.plain(given)
    assert (left, cut, list(kept), len(kept["long"])) == (["vector", "by", "of", ""], ["long"], ["long"], extra.LONGEST)
    many = {f"f{n}": "x" for n in range(30)}
    assert extra.plain(many)[:2] == (dict.fromkeys(list(many)[:20], "x"), list(many)[20:])
    assert extra.plain({"x" * 500: "y"}).kept == {"x" * 79 + "…": "y"}


@given(st.dictionaries(st.text(max_size=5), st.text() | st.integers() | st.lists(st.text())))
def test_what_is_stored_is_read_again(values: dict[str, object]) -> None:
    kept = extra.plain(values).kept
    assert extra.read(extra.stored(kept)) == kept == extra.plain(kept).kept
    assert all(0 < len(words) <= extra.LONGEST for words in kept.values())


def test_nothing_is_stored_of_nothing() -> None:
    assert (extra.stored({}), extra.read(None), extra.text(None)) == (None, {}, "")


def test_the_report_tells_what_is_left_out_and_cut() -> None:
    report = Report()
    data = b'{"id": "d1", "text": "x", "v": [1], "w": {"a": "b"}, "abstract": "%s"}\n' % (b"y" * 2000)
    [[found]] = read_documents(io.BytesIO(data), report)
    assert list(found.extra) == ["abstract"]
    words = "of its other fields the first 20 are kept that are text, a number or a list of texts"
    assert [(one.severity, one.code, one.line, one.message) for one in report.findings] == [
        ("warning", "EXTRA_LEFT", 1, f"Document d1: “v”, “w” are left out; {words}."),
        ("warning", "EXTRA_CUT", 1, "Document d1: “abstract” is cut after 1,000 characters."),
    ]


@pytest.mark.django_db
def test_fields_are_stored_and_stay_when_others_are_added(cast: Cast) -> None:
    files.take(cast.collection, cast.organizer, UploadKind.DOCUMENTS, CACM)
    files.take(cast.collection, cast.organizer, UploadKind.DOCUMENTS, files.documents(["d1"]), others="keep")
    stored = dict(Document.objects.values_list("docno", "extra"))
    fields = {"authors": "Prieve, B. G.; Pooch, U.", "source": "CACM May, 1958", "keywords": "roots, errors"}
    assert stored["d1"] is None and extra.read(stored["1"]) == fields and list(extra.read(stored["1"])) == list(fields)
