"""Commands of judging: assign, progress, leases, agreement, judgments."""

import csv
import io
import json
from pathlib import Path

import pytest

from assess.models import AssignmentPlan, Seat
from assess.services import assigning, questions
from assess.services.assigning import Wanted
from tests.assess.conftest import Bench, bench
from tests.commands.conftest import Assize

__all__ = ["bench"]
pytestmark = [pytest.mark.django_db, pytest.mark.once]


def test_assign_by_itself(assize: Assize, bench: Bench) -> None:
    shown = assize("assign", "harbour-trials", "--auto", "--overlap", "0.4", "--seed", 7, "--by", "olga-organizer")
    assert (shown.status, shown.out.splitlines()[0].split()) == (0, ["TOPIC", "ITEMS", "JUDGED", "FIRST", "SECOND", "THIRD"])
    assert "Topics handed out: 14 judgments wanted." in shown.err
    plan = AssignmentPlan.objects.get()
    assert (plan.overlap, plan.seed, plan.changed_by) == (0.4, 7, bench.organizer)
    found = assize("assign", "harbour-trials", "--json").json
    assert [row["topic"] for row in found] == ["1", "2"] and sorted(found[0]["first"] + found[0]["second"]) == [
        "ann-assessor",
        "bob-beholder",
    ]
    again = assize("assign", "harbour-trials", "--auto", "--by", "olga-organizer")
    assert again.told == (1, "Error: Every topic has its assessor already.")


def test_assign_one_topic_and_new_seats(assize: Assize, bench: Bench) -> None:
    done = assize("assign", "harbour-trials", "--topic", 2, "--first", "bob-beholder,ann-assessor", "--by", "olga-organizer")
    assert done.status == 0 and Seat.objects.filter(assessor=None).count() == 5
    assert "Nobody’s work has changed." in assize("assign", "harbour-trials", "--seats", "--by", "olga-organizer").err
    wrong = assize("assign", "harbour-trials", "--topic", 9, "--first", "bob-beholder", "--by", "olga-organizer")
    assert wrong.status == 1 and "There is no topic “9” in this collection." in wrong.err
    assert assize("assign", "harbour-trials", "--auto", "--topic", 1).status == 2
    assert assize("assign", "nowhere").told == (1, "Error: There is no collection “nowhere”.")


def test_progress(assize: Assize, bench: Bench) -> None:
    bench.assign(overlap=0)
    bench.judge(bench.ann, 2, seconds=3)
    found = assize("progress", "harbour-trials", "--json").json
    assert found[0] == {"of": "all", "name": "All", "done": 2, "left": 8, "skipped": 0, "later": 0, "seconds": 3.0}
    assert [(row["name"], row["left"]) for row in found if row["of"] == "assessor"] == [
        ("ann-assessor", 3),
        ("bob-beholder", 5),
    ]
    assert "ann-assessor" in assize("progress", "harbour-trials").out


def test_agreement(assize: Assize, bench: Bench) -> None:
    assert assize("agreement", "harbour-trials", "--json").json == []
    bench.assign(overlap=1)
    bench.judge(bench.ann, 10, grade=1)
    bench.judge(bench.bob, 10, grade=2)
    pair, overall = assize("agreement", "harbour-trials", "--json").json
    assert (pair["first"], pair["second"], pair["n"], pair["cohen"]) == ("ann-assessor", "bob-beholder", 10, 0.0)
    assert overall["first"] == "all first" and overall["table"][1][2] == 5
    assert "0.0000" in assize("agreement", "harbour-trials").out
    head, line, _all = assize("agreement", "harbour-trials", "--table", "pairs").out.splitlines()
    assert (head.split(",")[:3], line.split(",")[2]) == (["first", "second", "n"], str(pair["n"]))
    assert "tabular" in assize("agreement", "harbour-trials", "--table", "times", "--report", "tex").out


def test_judgments(assize: Assize, bench: Bench) -> None:
    bench.assign(overlap=0)
    (card,) = bench.judge(bench.ann, 1, grade=3)
    (row,) = csv.DictReader(io.StringIO(assize("judgments", "harbour-trials").out))
    assert (row["docno"], row["grade"], row["assessor"]) == (card.docno, "3", "A1")
    assert json.loads(assize("judgments", "harbour-trials", "--format", "jsonl").out)["topic"] == "1"
    assert assize("judgments", "harbour-trials", "--history", "--json").json[0]["previous_grade"] is None


def test_leases(assize: Assize, bench: Bench) -> None:
    wanted = [Wanted(topic, [bench.ann, bench.bob]) for topic in bench.topics]
    assigning.assign(bench.collection, by=bench.organizer, wanted=wanted, overlap=0)
    bench.cards(bench.ann, 3)
    (row,) = assize("leases", "harbour-trials", "--json").json
    assert (row["user"], row["items"], row["ended"]) == ("ann-assessor", 3, False)
    first, second, third = assize("leases", "harbour-trials", "--of", "ann-assessor", "--json").json
    one = (second["topic"], second["docno"])
    (row,) = assize("leases", "harbour-trials", "--free", "ann-assessor", "--document", *one, "--json").json
    assert (row["user"], row["items"]) == ("ann-assessor", 2)
    assert assize("leases", "harbour-trials", "--of", "ann-assessor", "--json").json == [first, third]
    assert assize("leases", "harbour-trials", "--free", "ann-assessor", "--document", *one).status == 1
    assert assize("leases", "harbour-trials", "--document", *one).status == 2
    assert assize("leases", "harbour-trials", "--free", "ann-assessor", "--json").json == []
    told = "Error: Expected the user name of an assessor who holds documents; found “ann-assessor”."
    assert assize("leases", "harbour-trials", "--free", "ann-assessor").told == (1, told)


def test_watch_hours_questions_and_practice(assize: Assize, bench: Bench, tmp_path: Path) -> None:
    ruled = assize("assign", "harbour-trials", "--rules", "--order", "docno", "--by-item", "no", "--by", "olga-organizer")
    assert ruled.status == 0 and AssignmentPlan.objects.get().order == "docno"
    assert assize("assign", "harbour-trials", "--workload", "ann-assessor", "--weight", "2", "--cap", "9").status == 0
    bench.assign(overlap=0)
    card = bench.judge(bench.ann, 2, seconds=3)[0]
    found = assize("progress", "harbour-trials", "--watch", "--json").json
    assert found["assessors"][0]["grades"] == [0, 2, 0, 0] and "depth" in assize("progress", "harbour-trials", "--watch").out
    assert assize("progress", "harbour-trials", "--hours").out.splitlines()[1].endswith(",2,6.0")
    asked = questions.ask(bench.collection, assessor=bench.ann, seat=card.token, text="Eels?")
    told = assize("questions", "harbour-trials", "--answer", asked.pk, "--text", "Yes.", "--by", "olga-organizer", "--json")
    assert [(row["open"], row["text"]) for row in told.json] == [(False, "Yes.")]
    for number in (99999, 0):
        assert assize("questions", "harbour-trials", "--answer", number, "--by", "olga-organizer").status == 1
    file = tmp_path / "practice.txt"
    file.write_text(f"{card.docno}\t2\tIt counts eels.\n")
    assert assize("practice", "harbour-trials", "--topic", 1, "--file", file).status == 0
    assert assize("practice", "harbour-trials", "--json").json == [{"topic": "1", "documents": 1, "begun_by": 0}]
    file.write_text("nothing\n")
    wrong = assize("practice", "harbour-trials", "--topic", 1, "--file", file)
    assert wrong.status == 1 and "line 1: expected a document’s number, a grade and a reason" in wrong.err
