from typing import Any

import numpy as np
import pytest

from pooling.core import text
from pooling.core.words import Terms, terms
from tests.golden import vectors


def texts(documents: dict[str, dict[str, int]]) -> text.Texts:
    return text.Texts.build(
        (docno, [term for term, n in words.items() for _ in range(n)]) for docno, words in documents.items()
    )


def by_docno(found: text.Texts, values: Any) -> dict[str, float]:
    return dict(zip([docno.decode() for docno in found.docnos.tolist()], values.tolist(), strict=True))


@pytest.mark.parametrize("vector", vectors("pooling", "bm25"))
def test_bm25_of_the_worked_example(vector: dict[str, Any]) -> None:
    found = texts(vector["documents"])
    assert by_docno(found, text.bm25(found, vector["query"], **vector["params"])) == pytest.approx(vector["expected"], abs=1e-9)


def test_tf_idf_of_the_worked_example() -> None:
    vector = vectors("pooling", "tfidf")[0].values[0]
    found = texts(vector["documents"])
    dense = found.tf_idf.toarray()
    told = {
        docno: {term: dense[place, found.vocabulary[term]] for term in words}
        for place, (docno, words) in enumerate(vector["documents"].items())
    }
    assert told == {docno: pytest.approx(words, abs=1e-9) for docno, words in vector["expected"].items()}
    assert text.tf_idf(found, {"nobel": 1.0, "nowhere": 9.0}).tolist() == pytest.approx([0.5, 0.2, 0, 0])


@pytest.mark.parametrize("vector", vectors("pooling", "tf", "idf_log2", "idf_bm25", "idf_bm25_floor"))
def test_tf_and_idf_of_the_worked_example(vector: dict[str, Any]) -> None:
    if vector["measure"] == "tf":
        one = texts({"x": {"word": vector["count"], "other": vector["length"] - vector["count"]}, "y": {"else": 1}})
        assert one.tf_idf.toarray()[0, 0] == pytest.approx(vector["expected"])  # idf is log2(2 / 1) = 1
        return
    having = np.array([vector["n"]])
    if vector["measure"] == "idf_log2":
        found = text.idf_log2(vector["N"], having)
    else:
        found = text.idf_bm25(vector["N"], having, "floor" if vector["measure"].endswith("floor") else "seed")
    assert found[0] == pytest.approx(vector["expected"], abs=1e-9)


def test_rocchio_of_the_worked_example() -> None:
    vector = vectors("pooling", "rocchio")[0].values[0]
    documents = vector["documents"]
    found = text.rocchio(
        vector["query"], [documents[d] for d in vector["relevant"]], [documents[d] for d in vector["nonrelevant"]]
    )
    assert found == pytest.approx(vector["expected"])
    assert list(text.heaviest(found, 2)) == ["theft", "nobel"]


@pytest.mark.parametrize(
    ("words", "language", "expected"),
    [
        ("The harbours of Genoa, 1907", "", ["harbour", "genoa", "1907"]),
        ("Die Häfen und Hafenstädte", "de", ["haf", "hafenstadt"]),
        ("नदियों का किनारा", "hi", ["नद", "किनार"]),
        ("নদীর তীর", "bn", ["নদীর", "তীর"]),
        ("港口起重机", "zh", ["港口", "口起", "起重", "重机"]),
        ("東京の港 harbour", "ja", ["東京", "京の", "の港", "harbour"]),
        ("항구 도시", "ko", ["항구", "도시"]),
        ("والموانئ القديمة", "ar", ["موانء", "قديم"]),
    ],
)
def test_terms_of_any_script(words: str, language: str, expected: list[str]) -> None:
    assert terms(words, language) == expected
    many = Terms(language)
    assert many(words) == many(words) == expected
