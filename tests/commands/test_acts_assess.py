"""Commands by which assessors and adjudicators work: judge, decide, ask, own words."""

import json
import uuid

import pytest

from assess.models import DecisionEvent, Judgment, JudgmentEvent, Message, OwnWords
from assess.services import adjudicating, questions
from pooling.models import Topic
from tests.assess.conftest import Bench, bench
from tests.commands.conftest import Assize
from tests.conftest import Cast
from tests.evaluation.conftest import judged, second

__all__ = ["bench", "judged", "second"]
pytestmark = [pytest.mark.django_db, pytest.mark.once]
JUDGE = ("judge", "harbour-trials", "--by", "ann-assessor")


def said() -> list[tuple[str, int | None, str, str]]:
    return list(Judgment.objects.order_by("pk").values_list("answer", "grade", "reason", "note"))


def test_the_next_documents_are_those_of_the_api(assize: Assize, bench: Bench) -> None:
    bench.assign(overlap=0)
    cards = bench.cards(bench.ann, 2)
    listed = assize(*JUDGE, "--next", 2, "--json").json
    assert [card["seat"] for card in listed] == [str(card.token) for card in cards]
    assert set(listed[0]) == {
        *("seat", "topic", "document", "grade", "answer", "reason", "note", "known", "evidence", "seen"),
    }
    table = assize(*JUDGE).out.splitlines()
    assert table[0].split() == ["SEAT", "TOPIC", "DOCNO", "TITLE", "ANSWER"] and len(table) == 6
    one = assize(*JUDGE, "--topic", 1, "--docno", cards[0].docno)
    assert one.status == 0 and one.out.rstrip().endswith(cards[0].text.strip())
    assert assize(*JUDGE, "--seat", cards[0].token, "--json").json == listed[0]
    assert Judgment.objects.count() == 0


def test_one_act_of_each_kind(assize: Assize, bench: Bench) -> None:
    bench.assign(overlap=0)
    card, other = bench.cards(bench.ann, 2)
    done = assize(*JUDGE, "--topic", 1, "--docno", card.docno, "--grade", 2, "--note", "Eels.", "--json")
    (row,) = done.json
    assert (row["seat"], row["answer"], row["grade"], row["seen"]) == (str(card.token), "grade", 2, 1)
    assert done.err == "1 answered, 4 left.\n"
    assert assize(*JUDGE, "--seat", other.token, "--cannot", "unreadable").status == 0
    assert said() == [("grade", 2, "", "Eels."), ("cannot", None, "unreadable", "")]
    assert assize(*JUDGE, "--seat", card.token, "--open").status == assize(*JUDGE, "--seat", other.token, "--later").status == 0
    assert said() == [("open", None, "", "Eels."), ("later", None, "", "")]


def test_many_acts_of_a_file(assize: Assize, bench: Bench) -> None:
    bench.assign(overlap=0)
    first, second, third = bench.cards(bench.ann, 3)
    again = str(uuid.uuid4())
    acts = [
        {"seat": str(first.token), "grade": 1, "client_id": again, "seconds": 4, "evidence": [{"start": 0, "end": 3}]},
        {"topic": "1", "docno": second.docno, "answer": "cannot", "reason": "empty", "note": "two\u2028lines"},
        {"seat": str(first.token), "grade": 3, "client_id": again},
    ]
    done = assize(
        *JUDGE, "--file", "-", "--json", stdin="\n".join(json.dumps(act, ensure_ascii=False) for act in acts) + "\n\n"
    )
    assert [(row["grade"], row["client_id"] == again) for row in done.json] == [(1, True), (None, False), (1, True)]
    assert JudgmentEvent.objects.count() == 2

    acts = [{"seat": str(third.token), "grade": 1}, {"seat": str(second.token), "grade": 9}]
    part = assize(*JUDGE, "--file", "-", "--json", stdin="\n".join(map(json.dumps, acts)))
    assert (part.status, len(part.json)) == (1, 1)
    assert part.err.startswith("Error: -: line 2: Expected a grade of this collection's scale")
    assert part.err.endswith("found 9. Before it 1 act was stored.\n")


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("{", "Expected an act of judging as JSON; found “{”."),
        ("[1]", "The act: Expected an object; found “[1]”."),
        ('{"topic": "1", "docno": "nowhere", "grade": 1}', "“nowhere” of topic 1 is not among the documents of ann-assessor."),
        ('{"docno": "d", "garde": 1}', "garde: Expected nothing under this name; found “1”."),
        (f'{{"seat": "{uuid.UUID(int=7)}", "grade": 1}}', "There is no such document of ann-assessor."),
    ],
)
def test_bad_lines_are_told(assize: Assize, bench: Bench, line: str, words: str) -> None:
    bench.assign(overlap=0)
    assert assize(*JUDGE, "--file", "-", stdin=f"\n{line}\n").told == (1, f"Error: -: line 2: {words}")
    assert Judgment.objects.count() == 0


def test_only_ones_own_documents_are_judged(assize: Assize, bench: Bench) -> None:
    bench.assign(overlap=0)
    (card,) = bench.cards(bench.bob, 1)
    told = "Error: There is no such document of ann-assessor."
    assert assize(*JUDGE, "--seat", card.token, "--grade", 1).told == (1, told)
    assert assize(*JUDGE, "--topic", 2, "--docno", card.docno).status == 1
    wrong = "Error: Expected an active assessor of harbour-trials as --by; found olga-organizer."
    assert assize("judge", "harbour-trials", "--by", "olga-organizer").told == (1, wrong)


@pytest.mark.parametrize(
    "wrong",
    [
        ["--grade", "1"],
        ["--docno", "d"],
        ["--topic", "1", "--grade", "1"],
        ["--file", "-", "--grade", "1"],
        ["--seat", "x", "--grade", "1", "--later"],
        ["--next", "21"],
    ],
)
def test_usage(assize: Assize, bench: Bench, wrong: list[str]) -> None:
    assert assize(*JUDGE, *wrong).status == 2
    assert assize("judge", "harbour-trials").status == 2


def test_cases_are_listed_decided_and_opened_again(assize: Assize, judged: Cast) -> None:
    decide = ("decide", judged.collection.slug, "--by", judged.adjudicator.username)
    found = assize(*decide, "--topic", 2, "--json").json
    assert [(case["docno"], case["opinions"], case["grade"]) for case in found] == [("d", 2, None)]
    case = ("--topic", 2, "--docno", "d")
    shown = assize(*decide, *case, "--json").json
    assert [opinion["name"] for opinion in shown["opinions"]] == ["A", "B"]
    assert judged.assessor.username not in assize(*decide, *case).out
    made = assize(*decide, *case, "--grade", 2, "--reason", "overlooked", "--comment", "Page 2.", "--json").json
    assert (made["docno"], made["grade"], made["reason"], made["comment"], made["seen"]) == ("d", 2, "overlooked", "Page 2.", 1)
    assert assize(*decide, "--topic", 2, "--json").json == []
    assert [case["grade"] for case in assize(*decide, "--topic", 2, "--state", "decided", "--json").json] == [2]
    organizer = ("decide", judged.collection.slug, "--by", judged.organizer.username)
    assert assize(*organizer, *case, "--reopen", "--comment", "Ask.", "--json").json["grade"] is None
    assert [(act.grade, act.adjudicator) for act in DecisionEvent.objects.all()] == [
        (2, judged.adjudicator),
        (None, judged.organizer),
    ]


def test_who_may_not_decide(assize: Assize, judged: Cast) -> None:
    slug, case = judged.collection.slug, ("--topic", 2, "--docno", "d", "--grade", 1)
    for user in (judged.organizer, judged.assessor):
        told = f"Error: Expected an active adjudicator of {slug} as --by; found {user.username}."
        assert assize("decide", slug, "--by", user.username, *case).told == (1, told)
    adjudicating.assign_adjudicators(judged.collection, by=judged.organizer, wanted={"1": [judged.adjudicator.username]})
    decide = ("decide", slug, "--by", judged.adjudicator.username)
    assert assize(*decide, "--topic", 2, "--docno", "d", "--reopen").told[0] == 1
    assert assize(*decide, "--topic", 2, "--docno", "nowhere", "--grade", 1).status == 1
    assert assize(*decide, "--docno", "d", "--grade", 1).status == assize(*decide, "--comment", "Ask.").status == 2
    assert DecisionEvent.objects.count() == 0


def test_an_assessor_asks_and_reads_the_answer(assize: Assize, bench: Bench) -> None:
    bench.assign(overlap=0)
    (card,) = bench.cards(bench.ann, 1)
    ann = ("questions", "harbour-trials", "--by", "ann-assessor")
    asked = assize(*ann, "--ask", 1, card.docno, "--text", "Eels?", "--json").json
    assert [(row["docno"], row["mine"], row["text"]) for row in asked] == [(card.docno, True, "Eels?")]
    questions.answer(bench.collection, by=bench.organizer, question=Message.objects.get().pk, text="Yes.")
    read = assize(*ann, "--own", "--json").json
    assert [(row["mine"], row["text"]) for row in read] == [(True, "Eels?"), (False, "Yes.")]
    assert "olga" not in assize(*ann, "--own").out
    told = "Error: “nowhere” of topic 1 is not among the documents of ann-assessor."
    assert assize(*ann, "--ask", 1, "nowhere", "--text", "Eels?").told == (1, told)
    assert assize("questions", "harbour-trials", "--own").status == 2


def test_own_words_and_language(assize: Assize, bench: Bench) -> None:
    bench.assign(overlap=0)
    ann = ("own-topics", "harbour-trials", "--by", "ann-assessor")
    (row,) = assize(*ann, "--topic", 1, "--words", "eel  salmon", "--json").json
    assert (row["number"], row["done"], row["left"], OwnWords.objects.get().words) == ("1", 0, 5, "eel salmon")
    assert assize(*ann, "--topic", 2, "--words", "x").told == (1, "Error: There is no topic “2” among those of ann-assessor.")
    Topic.objects.update(language="en", translations={"de": {"title": "Aale", "description": "", "narrative": ""}})
    assert assize(*ann, "--language", "de").status == 0
    assert bench.cards(bench.ann, 1)[0].topic_title == "Aale"
    assert assize(*ann, "--language", "xx").told == (1, "Error: language: Expected one of de, en; found “xx”.")
    assert assize(*ann, "--topic", 1).status == 2
