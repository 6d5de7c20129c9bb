"""The table of tests/test_one_refusal.py: mistakes, each with its one sentence and how it is made at each door."""

from dataclasses import dataclass
from typing import Any

CLIENT_ID = "6f1c1c0e-3c1b-4d52-9d5e-0c8f1a2b3c4d"
FILE = b"1 Q0 a 1 1.0 other\n"
FAR = b"901 Q0 a 1 1.0 far\n"
TEXTS = {"title": "eels", "description": "", "narrative": ""}
MERGE = {"rule": "first", "opinions": 1, "missing": "out", "differ_by": 0}
SCORING = {"test": "t", "correction": "holm", "seen": "all"}
SHARES = {"third": 0, "repeats": 0, "order": "shuffle"}
CREATE = {"name": "New", "slug": "new", "task": "ad-hoc", "visibility": "private"}
SETTINGS = {"name": "New", "visibility": "private", "measures": "AP"}
RUN = {"kind": "automatic", "priority": 1}
BASELINE = {"model": "bm25", "fields_": "title", "depth": 10}
POOL = {"strategy": "depth", "seed": 1, "depth": 10, "ties": "evaluation", "runs": ["{alpha}"]}
DECIDED = {"docno": "d", "client_id": CLIENT_ID}
DOCUMENTS = {"format": "auto", "encoding": "utf-8", "only": "all"}

Given = dict[str, Any]


@dataclass(frozen=True)
class Mistake:
    """The sentence, and how the mistake is made: address and form, or method, address and body; words after `assize`.

    Bytes are sent as a file. `by` is who makes it. A door that the act does not have is left out.
    """

    says: str
    page: tuple[str, Given] | None = None
    api: tuple[str, str, Given] | None = None
    shell: str = ""
    by: str = "organizer"


C, A = "/c/{slug}", "/api/v1/collections/{slug}"
ROLES = "organizer, assessor, adjudicator, participant, researcher"
MISTAKES: dict[str, dict[str, Mistake]] = {
    "collections": {
        "task": Mistake(
            "Expected one of {tasks}; found “none-such”.",
            ("/collections/new/", CREATE | {"task": "none-such"}),
            ("POST", "/api/v1/collections", CREATE | {"task": "none-such"}),
            "collections create new --name New --task none-such",
        ),
        "visibility": Mistake(
            "Expected one of private, unlisted, public; found “secret”.",
            ("/collections/new/", CREATE | {"visibility": "secret"}),
            ("POST", "/api/v1/collections", CREATE | {"visibility": "secret"}),
            "collections create new --name New --task ad-hoc --visibility secret",
        ),
        "address that is taken": Mistake(
            "There is a collection with this address already.",
            ("/collections/new/", CREATE | {"slug": "{slug}"}),
            ("POST", "/api/v1/collections", CREATE | {"slug": "{slug}"}),
            "collections create {slug} --name New --task ad-hoc",
        ),
        "address of other letters": Mistake(
            "Small letters, digits and hyphens, such as harbour-2026.",
            ("/collections/new/", CREATE | {"slug": "New"}),
            ("POST", "/api/v1/collections", CREATE | {"slug": "New"}),
            "collections create New --name New --task ad-hoc",
        ),
        "no name": Mistake(
            "Expected an entry; found nothing.",
            ("/collections/new/", CREATE | {"name": " "}),
            ("POST", "/api/v1/collections", CREATE | {"name": " "}),
            "collections create new --name= --task ad-hoc",
        ),
        "kind of documents": Mistake(
            "Expected one of {genres}; found “songs”.",
            (f"{C}/settings/", SETTINGS | {"genre": "songs"}),
            ("PATCH", A, {"genre": "songs"}),
            "collections edit {slug} --genre songs",
        ),
        "no measure": Mistake(
            "Expected at least one measure, such as nDCG@10; found none.",
            (f"{C}/settings/", SETTINGS | {"measures": " , "}),
            ("PATCH", A, {"measures": []}),
        ),
        "unknown measure": Mistake(
            "{unknown_measure}",
            (f"{C}/settings/", SETTINGS | {"measures": "ndgc@10"}),
            ("PATCH", A, {"measures": ["ndgc@10"]}),
            "collections edit {slug} --measures ndgc@10",
        ),
        "language": Mistake(
            "Expected tags of languages, such as en, hi or pt-BR; found “english!”.",
            (f"{C}/settings/", SETTINGS | {"languages": "english!"}),
            ("PATCH", A, {"languages": "english!"}),
            "collections edit {slug} --languages english!",
        ),
    },
    "members": {
        "role": Mistake(
            f"Expected one of {ROLES}; found “king”.",
            (f"{C}/invitations/", {"role": "king", "days": 14, "max_uses": 1}),
            ("POST", f"{A}/invitations", {"role": "king"}),
            "invitations create {slug} --role king",
        ),
        "days, too many": Mistake(
            "Expected at most 365; found 366.",
            (f"{C}/invitations/", {"role": "assessor", "days": 366, "max_uses": 1}),
            ("POST", f"{A}/invitations", {"role": "assessor", "days": 366}),
            "invitations create {slug} --role assessor --days 366",
        ),
        "days, too few": Mistake(
            "Expected at least 1; found 0.",
            (f"{C}/invitations/", {"role": "assessor", "days": 0, "max_uses": 1}),
            ("POST", f"{A}/invitations", {"role": "assessor", "days": 0}),
            "invitations create {slug} --role assessor --days 0",
        ),
        "days, no number": Mistake(
            "Expected a whole number; found “soon”.",
            (f"{C}/invitations/", {"role": "assessor", "days": "soon", "max_uses": 1}),
            ("POST", f"{A}/invitations", {"role": "assessor", "days": "soon"}),
            "invitations create {slug} --role assessor --days soon",
        ),
        "uses": Mistake(
            "Expected at most 1000; found 1001.",
            (f"{C}/invitations/", {"role": "assessor", "days": 14, "max_uses": 1001}),
            ("POST", f"{A}/invitations", {"role": "assessor", "max_uses": 1001}),
            "invitations create {slug} --role assessor --uses 1001",
        ),
        "address of mail": Mistake(
            "Expected an e-mail address, such as ada@example.org; found “ada”.",
            (f"{C}/invitations/", {"role": "assessor", "days": 14, "max_uses": 1, "emails": "eve@example.org\nada"}),
            ("POST", f"{A}/invitations", {"role": "assessor", "emails": ["eve@example.org", "ada"]}),
            "invitations create {slug} --role assessor --email eve@example.org --email ada",
        ),
        "role of a machine": Mistake(
            "Expected one of assessor, participant; found “organizer”.",
            (f"{C}/machines/", {"name": "robot", "role": "organizer"}),
            ("POST", f"{A}/machines", {"name": "robot", "role": "organizer"}),
            "members add-machine {slug} robot --role organizer",
        ),
        "name of a machine": Mistake(
            "Expected letters, digits and @ . + - _ only; found “harbour-trials.ro bot”.",
            (f"{C}/machines/", {"name": "ro bot", "role": "assessor"}),
            ("POST", f"{A}/machines", {"name": "ro bot"}),
            "members add-machine {slug} 'ro bot'",
        ),
        "scope": Mistake(
            "Expected one of read, judge, submit, manage; found “rule”.",
            ("/profile/tokens/", {"name": "mine", "scopes": ["rule"], "days": 7}),
            ("POST", "/api/v1/tokens", {"name": "mine", "scopes": ["rule"]}),
            "tokens create {organizer} --name mine --scope rule",
        ),
        "language of topics": Mistake(
            "Expected one of the choices; found “fr”.",
            None,
            ("PUT", f"{A}/topic-language", {"language": "fr"}),
            "own-topics {slug} --by {assessor} --language fr",
            by="assessor",
        ),
    },
    "runs": {
        "kind": Mistake(
            "Expected one of automatic, manual; found “magic”.",
            (f"{C}/runs/alpha/edit/", RUN | {"kind": "magic"}),
            ("PATCH", f"{A}/runs/alpha", {"kind": "magic"}),
            "runs edit {slug} alpha --kind magic",
        ),
        "priority": Mistake(
            "Expected at most 999; found 1000.",
            (f"{C}/runs/alpha/edit/", RUN | {"priority": 1000}),
            ("PATCH", f"{A}/runs/alpha", {"priority": 1000}),
            "runs edit {slug} alpha --priority 1000",
        ),
        "group": Mistake(
            "Expected at most 80 characters; found 81.",
            (f"{C}/runs/alpha/edit/", RUN | {"group": "x" * 81}),
            ("PATCH", f"{A}/runs/alpha", {"group": "x" * 81}),
            f"runs edit {{slug}} alpha --group {'x' * 81}",
        ),
        "results per topic": Mistake(
            "Expected at least 1; found 0.",
            (f"{C}/rules/", {"max_per_topic": 0}),
            ("PUT", f"{A}/rules", {"max_per_topic": 0}),
            "runs rules {slug} --max-per-topic 0",
        ),
        "results per topic, no number": Mistake(
            "Expected a whole number; found “many”.",
            (f"{C}/rules/", {"max_per_topic": "many"}),
            ("PUT", f"{A}/rules", {"max_per_topic": "many"}),
            "runs rules {slug} --max-per-topic many",
        ),
        "opening": Mistake(
            "Expected a day and a time; found “tomorrow”.",
            (f"{C}/rules/", {"max_per_topic": 1000, "runs_open_at": "tomorrow"}),
            ("PUT", f"{A}/rules", {"runs_open_at": "tomorrow"}),
            "runs rules {slug} --runs-open-at tomorrow",
        ),
        "opening, in no year that there is": Mistake(
            "Expected a day and a time of the years 1900 to 2999; found “9999-12-31T23:59:00+00:00”.",
            (f"{C}/rules/", {"max_per_topic": 1000, "runs_open_at": "9999-12-31T23:59"}),
            ("PUT", f"{A}/rules", {"runs_open_at": "9999-12-31T23:59:00"}),
            "runs rules {slug} --runs-open-at 9999-12-31T23:59",
        ),
        "kind of what is sent": Mistake(
            "Expected one of automatic, manual; found “magic”.",
            (f"{C}/runs/", {"file": FILE, "kind": "magic"}),
            ("POST", f"{A}/runs", {"file": FILE, "kind": "magic"}),
            "import-run {slug} {file} --kind magic",
        ),
        "priority of what is sent": Mistake(
            "Expected at most 999; found 1000.",
            (f"{C}/runs/", {"file": FILE, "priority": 1000}),
            ("POST", f"{A}/runs", {"file": FILE, "priority": 1000}),
            "import-run {slug} {file} --priority 1000",
        ),
        "group of what is sent": Mistake(
            "Expected at most 80 characters; found 81.",
            (f"{C}/runs/", {"file": FILE, "group": "x" * 81}),
            ("POST", f"{A}/runs", {"file": FILE, "group": "x" * 81}),
            f"import-run {{slug}} {{file}} --group {'x' * 81}",
        ),
        "language of what is sent": Mistake(
            "Expected a language tag such as en or pt-BR; found “a language of old”.",
            (f"{C}/runs/", {"file": FILE, "language": "a language of old"}),
            ("POST", f"{A}/runs", {"file": FILE, "language": "a language of old"}),
            "import-run {slug} {file} --language 'a language of old'",
        ),
        "repair": Mistake(
            "Expected one of ranks, first, cut; found “all”.",
            (f"{C}/runs/", {"file": FILE, "repair": ["all"]}),
            ("POST", f"{A}/runs", {"file": FILE, "repair": "all"}),
            "import-run {slug} {file} --repair all",
        ),
        "depth of a baseline": Mistake(
            "Expected at most 10000; found 10001.",
            (f"{C}/baseline/", BASELINE | {"depth": 10001}),
            ("POST", f"{A}/runs/baseline", {"depth": 10001}),
            "baseline-run {slug} --depth 10001",
        ),
        "model of a baseline": Mistake(
            "Expected one of bm25, tfidf; found “lm”.",
            (f"{C}/baseline/", BASELINE | {"model": "lm"}),
            ("POST", f"{A}/runs/baseline", {"model": "lm"}),
            "baseline-run {slug} --model lm",
        ),
        "k1 of a baseline": Mistake(
            "Expected a number; found “high”.",
            (f"{C}/baseline/", BASELINE | {"k1": "high"}),
            ("POST", f"{A}/runs/baseline", {"k1": "high"}),
            "baseline-run {slug} --k1 high",
        ),
        "zeros of docnos": Mistake(
            "Expected one of refuse, keep, drop; found “some”.",
            None,
            ("POST", f"{A}/qrels", {"file": FILE, "zeros": "some"}),
            "import-qrels {slug} {file} --zeros some",
        ),
        "tag of a run": Mistake(
            'Expected a tag of letters, digits, "_", "-" and ".", 25 at most; found “a b”.',
            (f"{C}/runs/", RUN | {"file": FILE, "tag": "a b"}),
            ("POST", f"{A}/runs", {"file": FILE, "tag": "a b"}),
            "import-run {slug} {file} --tag 'a b'",
        ),
        "tag of a baseline": Mistake(
            'Expected a tag of letters, digits, "_", "-" and ".", 25 at most; found “a b”.',
            (f"{C}/baseline/", BASELINE | {"tag": "a b"}),
            ("POST", f"{A}/runs/baseline", {"tag": "a b"}),
            "baseline-run {slug} --tag 'a b'",
        ),
        "withdrawing what has scores": Mistake(
            "Run alpha cannot be withdrawn: there are scores of it. A file of the same tag can replace it.",
            (f"{C}/runs/alpha/withdraw/", {}),
            ("DELETE", f"{A}/runs/alpha", {}),
            "runs withdraw {slug} alpha --by {organizer}",
        ),
        "withdrawing what has scores, by a participant": Mistake(
            "Run alpha cannot be withdrawn: there are scores of it. A file of the same tag can replace it. "
            "For anything else ask the organizers.",
            (f"{C}/runs/alpha/withdraw/", {}),
            ("DELETE", f"{A}/runs/alpha", {}),
            "runs withdraw {slug} alpha --by {participant}",
            by="participant",
        ),
        "withdrawing somebody else's": Mistake(
            "There is no run “beta” among those you see.",
            (f"{C}/runs/beta/withdraw/", {}),
            ("DELETE", f"{A}/runs/beta", {}),
            "runs withdraw {slug} beta --by {participant}",
            by="participant",
        ),
        "unknown run": Mistake(
            "There is no run “gamma” among those you see.",
            (f"{C}/runs/gamma/edit/", RUN),
            ("PATCH", f"{A}/runs/gamma", {"priority": 2}),
            "runs edit {slug} gamma --priority 2",
        ),
    },
    "files": {
        "empty run": Mistake(
            "Expected a file with something in it; “file.txt” is empty.",
            (f"{C}/runs/", {"file": b""}),
            ("POST", f"{A}/runs", {"file": b""}),
        ),
        "encoding": Mistake(
            "Expected one of {encodings}; found “latin”.",
            (f"{C}/topics/", {"file": FILE, "encoding": "latin", "numbering": "given"}),
            ("POST", f"{A}/topics", {"file": FILE, "encoding": "latin"}),
            "import-topics {slug} {file} --encoding latin",
        ),
        "format": Mistake(
            "Expected one of {formats}; found “csv”.",
            (f"{C}/documents/", DOCUMENTS | {"file": FILE, "format": "csv"}),
            ("POST", f"{A}/documents", {"file": FILE, "format": "csv"}),
            "import-documents {slug} {file} --format csv",
        ),
        "language of topics": Mistake(
            "Expected a language tag such as en or pt-BR; found “the language of old”.",
            (f"{C}/topics/", {"file": FILE, "encoding": "utf-8", "language": "the language of old"}),
            ("POST", f"{A}/topics", {"file": FILE, "language": "the language of old"}),
            "import-topics {slug} {file} --language 'the language of old'",
        ),
        "repeated lines of qrels": Mistake(
            "Expected one of refuse, first, last; found “best”.",
            (f"{C}/import-qrels/", {"file": FILE, "kind": "judgments", "repeats": "best"}),
            ("POST", f"{A}/qrels", {"file": FILE, "repeats": "best"}),
            "import-qrels {slug} {file} --repeats best",
        ),
        "what becomes of qrels": Mistake(
            "Expected one of judgments, release; found “scores”.",
            (f"{C}/import-qrels/", {"file": FILE, "kind": "scores"}),
            ("POST", f"{A}/qrels", {"file": FILE, "kind": "scores"}),
            "import-qrels {slug} {file} --as scores",
        ),
        "whose judgments": Mistake(
            "Expected at most 150 characters; found 151.",
            (f"{C}/import-qrels/", {"file": FILE, "kind": "judgments", "assessor": "x" * 151}),
            ("POST", f"{A}/qrels", {"file": FILE, "assessor": "x" * 151}),
            f"import-qrels {{slug}} {{file}} --assessor {'x' * 151}",
        ),
    },
    "topics": {
        "no title": Mistake(
            "Expected an entry; found nothing.",
            (f"{C}/topics/1/", TEXTS | {"title": " "}),
            ("PUT", f"{A}/topics/1", TEXTS | {"title": " "}),
            "edit-topic {slug} 1 --title=",
        ),
        "language": Mistake(
            "Expected a language tag such as en or pt-BR; found “the language of old”.",
            (f"{C}/topics/1/", TEXTS | {"language": "the language of old"}),
            ("PUT", f"{A}/topics/1", TEXTS | {"language": "the language of old"}),
            "edit-topic {slug} 1 --language 'the language of old'",
        ),
        "long title": Mistake(
            "Expected at most 5000 characters; found 5001.",
            (f"{C}/topics/1/", TEXTS | {"title": "x" * 5001}),
            ("PUT", f"{A}/topics/1", TEXTS | {"title": "x" * 5001}),
            f"edit-topic {{slug}} 1 --title {'x' * 5001}",
        ),
        "unknown version": Mistake(
            "Topic 1 has no version in “fr”.",
            (f"{C}/topics/1/", TEXTS | {"of": "fr"}),
            ("PUT", f"{A}/topics/1", TEXTS | {"of": "fr"}),
            "edit-topic {slug} 1 --of fr --title eels",
        ),
        "unknown topic": Mistake(
            "There is no topic “77” in this collection.",
            (f"{C}/topics/77/", TEXTS),
            ("PUT", f"{A}/topics/77", TEXTS),
            "edit-topic {slug} 77 --title eels",
        ),
        "draft without title": Mistake(
            "Expected an entry; found nothing.",
            (f"{C}/drafts/", TEXTS | {"number": "45", "title": " "}),
            ("POST", f"{A}/drafts", TEXTS | {"number": "45", "title": " "}),
            "topic-drafts {slug} --add 45 --title=",
        ),
        "number of a draft": Mistake(
            "Expected a number for the topic, without blanks; found “4 4”.",
            (f"{C}/drafts/", TEXTS | {"number": "4 4"}),
            ("POST", f"{A}/drafts", TEXTS | {"number": "4 4"}),
            "topic-drafts {slug} --add '4 4' --title eels",
        ),
        "number that is taken": Mistake(
            "There is a topic 1 already.",
            (f"{C}/drafts/", TEXTS | {"number": "1"}),
            ("POST", f"{A}/drafts", TEXTS | {"number": "1"}),
            "topic-drafts {slug} --add 1 --title eels",
        ),
        "grade of a hit": Mistake(
            "Expected a grade of this collection's scale: {scale}; found 9.",
            (f"{C}/drafts/{{draft}}/", {"act": "grade", "docno": "{docno}", "grade": 9}),
            ("POST", f"{A}/drafts/{{draft}}/grades", {"docno": "{docno}", "grade": 9}),
            "topic-drafts {slug} --grade 44 {docno} 9",
        ),
        "document of a hit": Mistake(
            "There is no document “nowhere” in this collection.",
            (f"{C}/drafts/{{draft}}/", {"act": "grade", "docno": "nowhere", "grade": 1}),
            ("POST", f"{A}/drafts/{{draft}}/grades", {"docno": "nowhere", "grade": 1}),
            "topic-drafts {slug} --grade 44 nowhere 1",
        ),
        "reason of a draft": Mistake(
            "Expected at most 300 characters; found 301.",
            (f"{C}/drafts/{{draft}}/", {"act": "drop", "reason": "x" * 301}),
            ("POST", f"{A}/drafts/{{draft}}/drop", {"reason": "x" * 301}),
            f"topic-drafts {{slug}} --drop 44 --reason {'x' * 301}",
        ),
    },
    "pools": {
        "depth, too small": Mistake(
            "Expected at least 1; found 0.",
            (f"{C}/pool/", POOL | {"depth": 0}),
            ("POST", f"{A}/pools/plan", {"depth": 0}),
            "draw-pool {slug} --estimate --depth 0",
        ),
        "depth, no number": Mistake(
            "Expected a whole number; found “deep”.",
            (f"{C}/pool/", POOL | {"depth": "deep"}),
            ("POST", f"{A}/pools/plan", {"parameters": {"depth": "deep"}}),
            "draw-pool {slug} --estimate --depth deep",
        ),
        "seconds, too few": Mistake(
            "Expected at least 0.1; found -1.0.",
            (f"{C}/pool/", POOL | {"seconds": "-1.0"}),
            ("POST", f"{A}/pools/plan", {"depth": 10, "seconds": -1.0}),
            "draw-pool {slug} --estimate --seconds -1",
        ),
        "ties": Mistake(
            "Expected one of evaluation, docno-ascending, random; found “none”.",
            (f"{C}/pool/", POOL | {"ties": "none"}),
            ("POST", f"{A}/pools/plan", {"parameters": {"ties": "none"}}),
            "draw-pool {slug} --estimate --ties none",
        ),
        "seed": Mistake(
            "Expected at least 0; found -1.",
            (f"{C}/pool/", POOL | {"seed": -1}),
            ("POST", f"{A}/pools/plan", {"depth": 10, "seed": -1}),
            "draw-pool {slug} --estimate --depth 10 --seed -1",
        ),
        "strategy": Mistake(
            "Expected one of {strategies}; found “none”.",
            (f"{C}/pool/", POOL | {"strategy": "none"}),
            ("POST", f"{A}/pools/plan", {"strategy": "none"}),
            "draw-pool {slug} --estimate --strategy none",
        ),
        "unknown run": Mistake(
            "There is no run “gamma” in this collection.",
            None,
            ("POST", f"{A}/pools/plan", {"depth": 10, "runs": ["gamma"]}),
            "draw-pool {slug} --estimate --depth 10 --run gamma",
        ),
        "unknown round": Mistake(
            "There is no round “7” in this collection.",
            (f"GET {C}/pool/7/", {}),
            ("GET", f"{A}/pools/7", {}),
        ),
        "round to stop": Mistake(
            "There is no round “7” in this collection.",
            (f"{C}/progress/adaptive/", {"act": "stop", "round": 7, "topic": "1", "reason": "enough"}),
            ("POST", f"{A}/adaptive/7/stop", {"topic": "1", "reason": "enough"}),
            "adaptive {slug} --round 7 --stop 1 --reason enough",
        ),
        "budget of a comparison": Mistake(
            "Expected at most 1000; found 1001.",
            (f"{C}/pool/compare/", {"budget": 1001}),
            ("POST", f"{A}/strategies", {"budget": 1001}),
            "strategies {slug} --budget 1001",
        ),
    },
    "assignments": {
        "seed": Mistake(
            "Expected at least 0; found -1.",
            (f"{C}/assign/", {"act": "auto", "topics": "all", "overlap": 0, "assessors": ["{assessor_pk}"], "seed": -1}),
            ("POST", f"{A}/assignments/auto", {"topics": "all", "seed": -1}),
            "assign {slug} --auto --all --seed -1",
        ),
        "order": Mistake(
            "Expected one of shuffle, docno, priority; found “rank”.",
            (f"{C}/assign/", {"act": "rules", **SHARES, "order": "rank"}),
            ("PUT", f"{A}/assignments", {"assignments": [], "order": "rank"}),
            "assign {slug} --rules --order rank",
        ),
        "unknown topic": Mistake(
            "There is no topic “77” in this collection.",
            None,
            ("PUT", f"{A}/assignments", {"assignments": [{"topic": "77", "first": ["{assessor}"]}]}),
            "assign {slug} --topic 77 --first {assessor}",
        ),
        "no assessor": Mistake(
            "Expected an assessor of this collection; found “{stranger}”.",
            None,
            ("PUT", f"{A}/assignments", {"assignments": [{"topic": "1", "first": ["{stranger}"]}]}),
            "assign {slug} --topic 1 --first {stranger}",
        ),
        "weight": Mistake(
            "Expected a weight above 0, to 100, and a cap of 0 to 1,000,000 documents or none; found -1 and none.",
            (f"{C}/assign/", {"act": "workloads", "weight-{assessor_pk}": -1}),
            ("PUT", f"{A}/workloads/{{assessor}}", {"weight": -1}),
            "assign {slug} --workload {assessor} --weight -1",
        ),
        "topic of an adjudicator": Mistake(
            "There is no topic “77” in this collection.",
            (f"{C}/adjudicate/", {"topic": "77"}),
            ("PUT", f"{A}/adjudication", {"topics": [{"topic": "77", "adjudicators": []}]}),
            "adjudication {slug} --assign 77={adjudicator}",
        ),
        "no adjudicator": Mistake(
            "Expected adjudicators of this collection; found “{stranger}”.",
            (f"{C}/adjudicate/", {"topic": "1", "who-1": "{stranger}"}),
            ("PUT", f"{A}/adjudication", {"topics": [{"topic": "1", "adjudicators": ["{stranger}"]}]}),
            "adjudication {slug} --assign 1={stranger}",
        ),
        "practice, unknown topic": Mistake(
            "There is no topic “77” in this collection.",
            None,
            ("PUT", f"{A}/practice/77", {"examples": []}),
            "practice {slug} --topic 77",
        ),
        "practice, unknown document": Mistake(
            "Topic 1, document “nowhere”: there is no such document in this collection.",
            (f"{C}/practice/", {"topic": "1", "lines": "nowhere 1 why"}),
            ("PUT", f"{A}/practice/1", {"examples": [{"docno": "nowhere", "grade": 1, "reason": "why"}]}),
            "practice {slug} --topic 1 --file {practice}",
        ),
        "practice, grade": Mistake(
            "Topic 1, document “{docno}”: expected a grade among {values}; found 500.",
            (f"{C}/practice/", {"topic": "1", "lines": "{docno} 500 why"}),
            ("PUT", f"{A}/practice/1", {"examples": [{"docno": "{docno}", "grade": 500}]}),
            "practice {slug} --topic 1 --file {practice_grade}",
        ),
    },
    "judging": {
        "grade that is not of the scale": Mistake(
            "Expected a grade of this collection's scale: {scale}; found 9.",
            (f"{C}/judge/{{seat}}/", {"grade": 9, "client_id": CLIENT_ID}),
            ("POST", f"{A}/queue/{{seat}}", {"grade": 9, "client_id": CLIENT_ID}),
            "judge {slug} --by {assessor} --seat {seat} --grade 9",
            by="assessor",
        ),
        "grade that is far off": Mistake(
            "Expected a grade of this collection's scale: {scale}; found 500.",
            (f"{C}/judge/{{seat}}/", {"grade": 500, "client_id": CLIENT_ID}),
            ("POST", f"{A}/queue/{{seat}}", {"grade": 500, "client_id": CLIENT_ID}),
            "judge {slug} --by {assessor} --seat {seat} --grade 500",
            by="assessor",
        ),
        "grade that no column holds": Mistake(
            f"Expected a grade of this collection's scale: {{scale}}; found {10**30}.",
            (f"{C}/judge/{{seat}}/", {"grade": 10**30, "client_id": CLIENT_ID}),
            ("POST", f"{A}/queue/{{seat}}", {"grade": 10**30, "client_id": CLIENT_ID}),
            f"judge {{slug}} --by {{assessor}} --seat {{seat}} --grade {10**30}",
            by="assessor",
        ),
        "answer": Mistake(
            "Expected one of grade, cannot, later, open; found “maybe”.",
            (f"{C}/judge/{{seat}}/", {"answer": "maybe", "client_id": CLIENT_ID}),
            ("POST", f"{A}/queue/{{seat}}", {"answer": "maybe", "client_id": CLIENT_ID}),
            by="assessor",
        ),
        "long reason": Mistake(
            "Expected a reason of at most 200 characters, none of them NUL; found 201.",
            (f"{C}/judge/{{seat}}/", {"answer": "cannot", "reason": "x" * 201, "client_id": CLIENT_ID}),
            ("POST", f"{A}/queue/{{seat}}", {"answer": "cannot", "reason": "x" * 201, "client_id": CLIENT_ID}),
            f"judge {{slug}} --by {{assessor}} --seat {{seat}} --cannot {'x' * 201}",
            by="assessor",
        ),
        "nothing said": Mistake(
            "Expected a grade, an answer (grade, cannot, later, open), a note or a mark; found nothing.",
            (f"{C}/judge/{{seat}}/", {"client_id": CLIENT_ID}),
            ("POST", f"{A}/queue/{{seat}}", {"client_id": CLIENT_ID}),
            by="assessor",
        ),
        "own words of a topic": Mistake(
            "There is no topic “77” among those of {assessor}.",
            (f"{C}/judge/words/", {"topic": "77", "words": "eels"}),
            ("PUT", f"{A}/queue/words/77", {"words": "eels"}),
            "own-topics {slug} --by {assessor} --topic 77 --words eels",
            by="assessor",
        ),
        "unknown topic of a find": Mistake(
            "There is no topic “77” in this collection.",
            (f"{C}/search/judge/", {"topic": "77", "docno": "a", "grade": 1, "client_id": CLIENT_ID}),
            ("POST", f"{A}/search/judgments", {"topic": "77", "docno": "a", "grade": 1, "client_id": CLIENT_ID}),
            by="assessor",
        ),
        "empty question": Mistake(
            "Expected an entry; found nothing.",
            (f"{C}/judge/questions/", {"seat": "{seat}", "text": " "}),
            ("POST", f"{A}/queue/{{seat}}/questions", {"text": " "}),
            "questions {slug} --by {assessor} --ask {seat_topic} {docno}",
            by="assessor",
        ),
        "long question": Mistake(
            "Expected at most 2000 characters; found 2001.",
            (f"{C}/judge/questions/", {"seat": "{seat}", "text": "x" * 2001}),
            ("POST", f"{A}/queue/{{seat}}/questions", {"text": "x" * 2001}),
            f"questions {{slug}} --by {{assessor}} --ask {{seat_topic}} {{docno}} --text {'x' * 2001}",
            by="assessor",
        ),
        "unknown question": Mistake(
            "There is no question “999999” in this collection.",
            (f"{C}/questions/", {"question": 999999, "text": "Yes."}),
            ("POST", f"{A}/questions/999999", {"text": "Yes."}),
            "questions {slug} --answer 999999 --text Yes.",
        ),
        "decided grade": Mistake(
            "Expected a grade of this collection's scale: {scale}; found 500.",
            (f"{C}/adjudicate/topics/2/", DECIDED | {"grade": 500}),
            ("POST", f"{A}/adjudication/decisions", DECIDED | {"topic": "2", "grade": 500}),
            "decide {slug} --by {adjudicator} --topic 2 --docno d --grade 500",
            by="adjudicator",
        ),
        "reason of a decision": Mistake(
            "Expected one of {decision_reasons}; found “mood”.",
            (f"{C}/adjudicate/topics/2/", DECIDED | {"grade": 1, "reason": "mood"}),
            ("POST", f"{A}/adjudication/decisions", DECIDED | {"topic": "2", "grade": 1, "reason": "mood"}),
            "decide {slug} --by {adjudicator} --topic 2 --docno d --grade 1 --reason mood",
            by="adjudicator",
        ),
        "unknown document to decide": Mistake(
            "There is no document “nowhere” in the pool of topic “2”.",
            (f"{C}/adjudicate/topics/2/", DECIDED | {"docno": "nowhere", "grade": 1}),
            ("POST", f"{A}/adjudication/decisions", DECIDED | {"topic": "2", "docno": "nowhere", "grade": 1}),
            "decide {slug} --by {adjudicator} --topic 2 --docno nowhere --grade 1",
            by="adjudicator",
        ),
        "merge rule": Mistake(
            "Expected one of {merge_rules}; found “lowest”.",
            (f"{C}/merge/", MERGE | {"rule": "lowest"}),
            ("PATCH", f"{A}/merge", {"rule": "lowest"}),
            "merge {slug} --rule lowest",
        ),
        "opinions, too few": Mistake(
            "Expected at least 1; found 0.",
            (f"{C}/merge/", MERGE | {"opinions": 0}),
            ("PATCH", f"{A}/merge", {"opinions": 0}),
            "merge {slug} --opinions 0",
        ),
        "opinions, too many": Mistake(
            "Expected at most 20; found 21.",
            (f"{C}/merge/", MERGE | {"opinions": 21}),
            ("PATCH", f"{A}/merge", {"opinions": 21}),
            "merge {slug} --opinions 21",
        ),
        "grades apart, too few": Mistake(
            "Expected at least 0; found -1.",
            (f"{C}/merge/", MERGE | {"differ_by": -1}),
            ("PATCH", f"{A}/merge", {"differ_by": -1}),
            "merge {slug} --differ-by -1",
        ),
        "grades apart, too many": Mistake(
            "Expected at most 3; found 9.",
            (f"{C}/merge/", MERGE | {"differ_by": 9}),
            ("PATCH", f"{A}/merge", {"differ_by": 9}),
            "merge {slug} --differ-by 9",
        ),
    },
    "releases and scores": {
        "rule": Mistake(
            "Expected one of {merge_rules}; found “lowest”.",
            (f"{C}/releases/", {"rule": "lowest"}),
            ("POST", f"{A}/releases", {"rule": "lowest"}),
            "release {slug} --rule lowest",
        ),
        "note": Mistake(
            "Expected at most 5000 characters; found 5001.",
            (f"{C}/releases/", {"rule": "first", "note": "x" * 5001}),
            ("POST", f"{A}/releases", {"rule": "first", "note": "x" * 5001}),
            f"release {{slug}} --note {'x' * 5001}",
        ),
        "state": Mistake(
            "Expected one of private, public, withdrawn; found “open”.",
            (f"{C}/releases/1/state/", {"state": "open"}),
            ("POST", f"{A}/releases/1/state", {"state": "open"}),
            "releases state {slug} 1 open",
        ),
        "state it has": Mistake(
            "Release 1 is public already.",
            (f"{C}/releases/1/state/", {"state": "public"}),
            ("POST", f"{A}/releases/1/state", {"state": "public"}),
            "releases state {slug} 1 public",
        ),
        "withdrawn without a word": Mistake(
            "Expected a reason, which is shown in the place of the release; found none.",
            (f"{C}/releases/1/state/", {"state": "withdrawn"}),
            ("POST", f"{A}/releases/1/state", {"state": "withdrawn"}),
            "releases state {slug} 1 withdrawn",
        ),
        "unknown release": Mistake(
            "There is no release “7” in this collection.",
            (f"{C}/releases/7/state/", {"state": "public"}),
            ("POST", f"{A}/releases/7/state", {"state": "public"}),
            "releases state {slug} 7 public",
        ),
        "test": Mistake(
            "Expected one of {tests}; found “guess”.",
            (f"{C}/scoring/", SCORING | {"test": "guess"}),
            ("PATCH", f"{A}/scoring", {"test": "guess"}),
            "scoring {slug} --test guess",
        ),
        "correction": Mistake(
            "Expected one of {corrections}; found “red”.",
            (f"{C}/scoring/", SCORING | {"correction": "red"}),
            ("PATCH", f"{A}/scoring", {"correction": "red"}),
            "scoring {slug} --correction red",
        ),
        "whose scores": Mistake(
            "Expected one of {seen}; found “best”.",
            (f"{C}/scoring/", SCORING | {"seen": "best"}),
            ("PATCH", f"{A}/scoring", {"seen": "best"}),
            "scoring {slug} --seen best",
        ),
        "unknown measure": Mistake(
            "{unknown_measure}",
            (f"{C}/scoring/", SCORING | {"shown": "ndgc@10"}),
            ("PATCH", f"{A}/scoring", {"shown": ["ndgc@10"]}),
            "scoring {slug} --shown ndgc@10",
        ),
        "test of the leaderboard": Mistake(
            "Expected one of {tests}; found “guess”.",
            (f"GET {C}/leaderboard/?test=guess", {}),
            ("GET", f"{A}/leaderboard?test=guess", {}),
            "leaderboard {slug} --test guess",
        ),
        "kind of runs on it": Mistake(
            "Expected one of automatic, manual; found “magic”.",
            (f"GET {C}/leaderboard/?kind=magic", {}),
            ("GET", f"{A}/leaderboard?kind=magic", {}),
            "leaderboard {slug} --kind magic",
        ),
        "view of qrels": Mistake(
            "Expected one of graded, lenient, strict; found “loose”.",
            (f"GET {C}/releases/1/qrels/?view=loose", {}),
            ("GET", f"{A}/releases/1/qrels?view=loose", {}),
            "qrels {slug} --view loose",
        ),
        "time of qrels": Mistake(
            "Expected a date or time such as 2026-11-16 or 2026-11-16T12:00; found “yesterday”.",
            (f"GET {C}/live-qrels/?at=yesterday", {}),
            ("GET", f"{A}/live-qrels?at=yesterday", {}),
            "qrels {slug} --live --at yesterday",
        ),
        "unknown run to compare": Mistake(
            "There is no run “gamma” with scores among those you see.",
            (f"GET {C}/compare/?runs=alpha&runs=gamma", {}),
            ("GET", f"{A}/compare?runs=alpha&runs=gamma", {}),
            "compare-runs {slug} alpha gamma",
        ),
        "run of another collection": Mistake(
            "The run answers none of the topics that release 1 judges: expected topics 1 and 2; found topic 901. "
            "Is it a run of another collection?",
            (f"{C}/try/", {"release": "1", "file": FAR}),
            ("POST", f"{A}/releases/1/private", {"file": FAR}),
            "score-run {slug} {far} --by {organizer}",
        ),
    },
}

CLOSED = "This collection is archived; restore it first."
ARCHIVED: dict[str, Mistake] = {
    "settings": Mistake(
        CLOSED, (f"{C}/settings/", SETTINGS), ("PATCH", A, {"name": "New"}), "collections edit {slug} --name New"
    ),
    "invitation": Mistake(
        CLOSED,
        (f"{C}/invitations/", {"role": "assessor", "days": 14, "max_uses": 1}),
        ("POST", f"{A}/invitations", {"role": "assessor"}),
        "invitations create {slug} --role assessor",
    ),
    "machine": Mistake(
        CLOSED,
        (f"{C}/machines/", {"name": "robot", "role": "assessor"}),
        ("POST", f"{A}/machines", {"name": "robot"}),
        "members add-machine {slug} robot",
    ),
    "topic": Mistake(CLOSED, (f"{C}/topics/1/", TEXTS), ("PUT", f"{A}/topics/1", TEXTS), "edit-topic {slug} 1 --title eels"),
    "run": Mistake(
        CLOSED,
        (f"{C}/runs/alpha/edit/", RUN),
        ("PATCH", f"{A}/runs/alpha", {"priority": 2}),
        "runs edit {slug} alpha --priority 2",
    ),
    "withdrawing": Mistake(
        CLOSED,
        (f"{C}/runs/alpha/withdraw/", {}),
        ("DELETE", f"{A}/runs/alpha", {}),
        "runs withdraw {slug} alpha --by {organizer}",
    ),
    "file": Mistake(CLOSED, (f"{C}/runs/", {"file": FILE}), ("POST", f"{A}/runs", {"file": FILE}), "import-run {slug} {file}"),
    "pool": Mistake(CLOSED, (f"{C}/pool/", POOL), ("POST", f"{A}/pools", {"depth": 10}), "draw-pool {slug} --depth 10"),
    "assignments": Mistake(
        CLOSED,
        (f"{C}/assign/", {"act": "rules", **SHARES}),
        ("PUT", f"{A}/assignments", {"assignments": []}),
        "assign {slug} --rules --order docno",
    ),
    "merging": Mistake(CLOSED, (f"{C}/merge/", MERGE), ("PATCH", f"{A}/merge", {"rule": "max"}), "merge {slug} --rule max"),
    "release": Mistake(
        CLOSED, (f"{C}/releases/", {"rule": "max"}), ("POST", f"{A}/releases", {"rule": "max"}), "release {slug}"
    ),
    "scoring": Mistake(CLOSED, (f"{C}/scoring/", SCORING), ("PATCH", f"{A}/scoring", {"test": "t"}), "scoring {slug} --test t"),
}
