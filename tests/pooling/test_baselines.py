"""Runs of our own: over files, and over a collection's documents."""

import json
from pathlib import Path

import pytest
from pytest_django import Settings

from config.errors import Conflict, Refusal
from config.models import Job, JobState
from pooling import tasks  # noqa: F401  (registers the job)
from pooling.core.baseline import Model, query_of, rank
from pooling.core.text import Texts
from pooling.models import UploadKind
from pooling.on_files import rank as rank_files
from pooling.services import baselines
from pooling.services.work import Direct
from tests.api.conftest import CallerFor, caller_for
from tests.commands.conftest import Assize, assize
from tests.conftest import Cast, ClientFor
from tests.pooling import files

__all__ = ["assize", "caller_for"]
DOCUMENTS = {
    "h1": "The harbours of Genoa and their cranes",
    "h2": "A harbour wall, and another harbour wall",
    "w1": "Wine of the northern valleys",
    "e1": "Nothing about it",
}
JSONL = "".join(json.dumps({"id": docno, "text": text}) + "\n" for docno, text in DOCUMENTS.items()).encode()
TOPICS = b"1\tharbour walls\n2\tnorthern wines\n3\tzeppelins\n"


@pytest.fixture
def own_data(settings: Settings, tmp_path: Path) -> None:
    settings.DATA = tmp_path / "data"


def ranked(model: Model) -> dict[str, list[str]]:
    texts = Texts.of((docno, text, "en") for docno, text in DOCUMENTS.items())
    queries = [(number, query_of({"title": title}, "title")) for number, title in (("1", "harbour walls"), ("2", "cranes"))]
    run = rank(texts, queries, model)
    bounds = zip(run.topics.tolist(), run.offsets[:-1].tolist(), run.offsets[1:].tolist(), strict=True)
    return {topic.decode(): [d.decode() for d in run.docnos[start:end].tolist()] for topic, start, end in bounds}


def test_documents_with_the_words_come_first_and_others_not_at_all() -> None:
    assert ranked(Model()) == {"1": ["h2", "h1"], "2": ["h1"]}
    assert ranked(Model(model="tfidf")) == {"1": ["h2", "h1"], "2": ["h1"]}
    assert ranked(Model(depth=1)) == {"1": ["h2"], "2": ["h1"]}


def test_topics_keep_their_whole_numbers() -> None:
    texts = Texts.of((docno, text, "en") for docno, text in DOCUMENTS.items())
    run = rank(texts, [(number, query_of({"title": "harbour"}, "title")) for number in ("1", "10", "T-112")], Model())
    assert sorted(run.topics.tolist()) == [b"1", b"10", b"T-112"]


def test_feedback_finds_what_shares_words_with_the_first() -> None:
    for model in ("bm25", "tfidf"):
        assert ranked(Model(model=model, feedback=1))["2"] == ["h1", "h2"]


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"model": "lsi"}, "model: Expected one of bm25, tfidf; found “lsi”."),
        ({"b": 2.0}, "b: Expected at most 1; found 2.0."),
        ({"tag": "no good"}, "Expected a tag of letters"),
    ],
)
def test_a_wrong_model_is_told(given: dict[str, object], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        Model(**given)  # type: ignore[arg-type]


def test_rank_on_files(tmp_path: Path, capsysbinary: pytest.CaptureFixture[bytes]) -> None:
    (tmp_path / "topics.tsv").write_bytes(TOPICS)
    (tmp_path / "documents.jsonl").write_bytes(JSONL)
    paths = [str(tmp_path / "topics.tsv"), str(tmp_path / "documents.jsonl")]
    assert rank_files.main([*paths, "--tag", "mine", "--k3", "8"]) == 0
    out, err = capsysbinary.readouterr()
    assert [line.split()[:4] for line in out.splitlines()] == [
        [b"1", b"Q0", b"h2", b"1"], [b"1", b"Q0", b"h1", b"2"], [b"2", b"Q0", b"w1", b"1"]
    ]  # fmt: skip
    assert out.endswith(b"\tmine\n") and b"no document has a word of 1 topic" in err
    assert rank_files.main([paths[0], str(tmp_path / "nowhere")]) == 1
    with pytest.raises(SystemExit) as stopped:
        rank_files.main([*paths, "--b", "7"])
    assert stopped.value.code == 2


def fill(cast: Cast) -> None:
    files.take(cast.collection, cast.organizer, UploadKind.TOPICS, TOPICS)
    files.take(cast.collection, cast.organizer, UploadKind.DOCUMENTS, JSONL)


@pytest.mark.django_db
@pytest.mark.usefixtures("own_data")
class TestInASite:
    def test_a_run_is_made_once_whatever_was_left(self, cast: Cast) -> None:
        fill(cast)
        for _ in range(2):  # cut off between file and check, then run again
            with pytest.raises(files.Cut):
                baselines.make_baseline(cast.collection, by=cast.organizer, model=Model(), work=files.CutOff())
        with Direct(lambda done, total, words: None) as work:
            baselines.make_baseline(cast.collection, by=cast.organizer, model=Model(), work=work)
        run = cast.collection.runs.get()
        assert (run.tag, run.group, run.line_count) == ("assize-bm25", "Assize", 3)
        assert "k1 = 1.2, b = 0.75" in run.description
        assert cast.collection.uploads.filter(kind=UploadKind.RUN).count() == 1
        with pytest.raises(Refusal, match="There is a run assize-bm25 already; choose another tag"):
            baselines.request_baseline(cast.collection, by=cast.organizer, model=Model())

    def test_without_documents_there_is_nothing_to_rank(self, cast: Cast) -> None:
        files.take(cast.collection, cast.organizer, UploadKind.TOPICS, TOPICS)
        with pytest.raises(Conflict, match="There are no documents yet"):
            baselines.request_baseline(cast.collection, by=cast.organizer, model=Model())

    def test_by_page_and_api(self, cast: Cast, client_for: ClientFor, caller_for: CallerFor) -> None:
        fill(cast)
        client, address = client_for(cast.organizer), f"/c/{cast.collection.slug}/baseline/"
        assert "Make the run" in client.get(address).content.decode()
        given = {"model": "tfidf", "fields_": "title", "idf": "floor", "depth": "10", "tag": "mine"}
        assert client.post(address, given).status_code == 302
        job = Job.objects.get(name="make_baseline")
        assert job.state == JobState.WAITING and '"tag": "mine"' in job.args["model"]
        assert "Baseline run mine" in client.get(f"/c/{cast.collection.slug}/runs/").content.decode()
        assert "25 at most" in client.post(address, {**given, "tag": "no good"}).content.decode()
        made = caller_for(cast.organizer)("POST", f"/collections/{cast.collection.slug}/runs/baseline", {"feedback": 3})
        assert made["title"].startswith("Baseline run assize-bm25-prf")

    def test_by_command(self, cast: Cast, assize: Assize) -> None:
        fill(cast)
        done = assize("baseline-run", cast.collection.slug, "--model", "tfidf")
        assert (done.status, done.out) == (0, "assize-tfidf  2 topics  3 lines\n")
        again = assize("baseline-run", cast.collection.slug, "--k1", "-1")
        assert again.told == (1, "Error: k1: Expected at least 0; found -1.0.")
