from dataclasses import replace
from typing import Any

import pytest

from pooling.core.topics import WRITTEN, TopicSpec, read_topics, topic_lines
from tests.golden import vectors


def findings(data: bytes) -> list[tuple[str, str, int]]:
    return [(one.severity, one.code, one.line) for one in read_topics(data)[1].findings]


@pytest.mark.parametrize("vector", vectors("formats", "read_topics"))
def test_topics_of_the_worked_examples(vector: dict[str, Any]) -> None:
    topics, report = read_topics(vector["text"].encode())
    named = [{"num": t.number, "title": t.title, "desc": t.description, "narr": t.narrative} for t in topics]
    assert named == vector["expected"]
    assert report.findings == ()


def test_topics_that_are_written_are_read_back() -> None:
    versions = {"fr": {"title": "marées", "description": "", "narrative": ""}}
    first = TopicSpec("7", "fish & <nets>", "Which  fish?", "Not\nwhales.", language="en", versions=versions)
    given = [first, TopicSpec("T-10", "pilots", language="en")]
    read = {form: read_topics("".join(topic_lines(given, form)).encode())[0] for form in WRITTEN}
    assert read["jsonl"] == given
    plain = replace(first, description="Which fish?", narrative="Not whales.", language="", versions={})
    assert read["trec"] == [plain, TopicSpec("T-10", "pilots")]
    assert read["tsv"] == [TopicSpec("7", "fish & <nets>"), TopicSpec("T-10", "pilots")]


def test_closed_and_unclosed_tags_read_alike() -> None:
    closed = b"<top>\n<num>7</num><title>A  b</title>\n<desc>C\nd</desc><narr>E</narr>\n</top>"
    unclosed = b"<top>\n<num> Number: 7\n<title> Topic: A b\n<desc> Description:\nC d\n<narr> Narrative\nE\n"
    assert read_topics(closed)[0] == read_topics(unclosed)[0] == [TopicSpec("7", "A b", "C d", "E")]


def test_unknown_tags_are_kept_beside() -> None:
    text = b"<top lang='bn'>\n<head> Tipster\n<num> 1\n<title> T\n<con> Concept(s):\n1. x\n<con> more\n</top>"
    assert read_topics(text)[0] == [
        TopicSpec("1", "T", extra={"head": "Tipster", "con": "Concept(s): 1. x\nmore"}, language="bn")
    ]


def test_tags_inside_a_sentence_are_text() -> None:
    topics, _ = read_topics(b"<top><num>1</num><title>the <b>bold</b> x < y </title></top>")
    assert topics[0].title == "the <b>bold</b> x < y"


def test_web_track_topics() -> None:
    text = b"""<?xml version="1.0"?><!-- <topic number="9"> --><web>
    <topic number="101" type="faceted"><query>ritz &amp; co</query><description>Find it.</description>
      <subtopic number="1" type="inf">One.</subtopic>
      <subtopic number="2" type="nav">Two.</subtopic></topic></web>"""
    extra = {"type": "faceted", "subtopic": "One.\nTwo."}
    assert read_topics(text)[0] == [TopicSpec("101", "ritz & co", "Find it.", extra=extra)]


def test_language_tags_of_clef() -> None:
    text = "<top><num> C041 </num><DE-title>Pestizide für</DE-title><DE-desc>Suche.</DE-desc></top>".encode()
    assert read_topics(text)[0] == [TopicSpec("C041", "Pestizide für", "Suche.", language="de")]


def test_entities_are_decoded_once() -> None:
    topics, _ = read_topics(b"<top><num>1</num><title>AT&amp;T &amp;lt; &#233;</title></top>")
    assert topics[0].title == "AT&T &lt; é"


def test_leading_zeros_go_unless_both_numbers_are_there() -> None:
    one = b"<top><num>051</num><title>A</title></top>"
    assert read_topics(one)[0] == [TopicSpec("51", "A", extra={"spelling": "051"})]
    both = one + b"<top><num>51</num><title>B</title></top>"
    assert [topic.number for topic in read_topics(both)[0]] == ["051", "51"]


def test_tsv_keeps_numbers_as_spelled() -> None:
    data = "# made today\n051\twho is  who\n\nx\tÄ\tdesc\tnarr\n".encode()
    assert read_topics(data)[0] == [TopicSpec("051", "who is who"), TopicSpec("x", "Ä", "desc", "narr")]


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b"", [("error", "TOPICS_EMPTY", 0)]),
        (b"just words\n", [("error", "FIELDS", 1)]),
        (b"1\ta\n2\n", [("error", "FIELDS", 2)]),
        (b"1\ta\n1\tb\n", [("error", "NUMBER_REPEATED", 2)]),
        (b"\ta\n", [("error", "NUMBER_MISSING", 1)]),
        (b"1 2\ta\n", [("error", "NUMBER_FORMAT", 1)]),
        (b"x" * 256 + b"\ta\n", [("error", "NUMBER_FORMAT", 1)]),
        (b"1\t\n", [("warning", "TITLE_MISSING", 1)]),
        (b"\xef\xbb\xbf1\ta\r\n", [("warning", "BOM", 1), ("warning", "CRLF", 0)]),
        (b"1\ta\n2\tb\0\n", [("error", "CONTROL", 2)]),
        (b"1\ta\n2\t\xe9t\xe9\n", [("error", "ENCODING", 2)]),
        (b"<top>\n<title> T\n</top>\n", [("error", "NUMBER_MISSING", 1)]),
        (b"\n<top><num>1<title>T</top>\n\n<top><num>1<title>U</top>", [("error", "NUMBER_REPEATED", 4)]),
        (b"<top><num>1</num></top>", [("warning", "TITLE_MISSING", 1)]),
    ],
)
def test_faults_are_named_by_line(data: bytes, expected: list[tuple[str, str, int]]) -> None:
    assert findings(data) == expected
    assert (read_topics(data)[0] == []) == any(severity == "error" for severity, _, _ in expected)


def test_json_without_a_number_is_told_which_keys_are_one() -> None:
    _, report = read_topics(b'{"docid": "1", "title": "Wings", "author": "brenckman"}\n{"id": "", "title": "Slips"}\n')
    keys = '"id" (or "_id", "number", "num", "qid", "query_id", "topic_id")'
    assert [one.message for one in report.findings] == [
        f'The topic of line 1 has no number; expected {keys}, found "docid", "author".',
        f"The topic of line 2 has no number; expected {keys}.",
    ]


def test_windows_1252_is_read_when_asked_for() -> None:
    topics, report = read_topics("1\t„été”\n".encode("cp1252"), encoding="cp1252")
    assert (topics, report.ok) == ([TopicSpec("1", "„été”")], True)
    assert "Windows-1252" in read_topics("1\tété\n".encode("cp1252"))[1].findings[0].message


def test_a_long_file_of_odd_tags_is_read_in_one_pass() -> None:
    data = b"<top>" + b"<" * 200_000 + b"<num>1</num><title>" + b"<a " * 100_000 + b"</title></top>"
    assert read_topics(data)[1].errors == 0


def test_json_lines() -> None:
    data = (
        '{"id": 26, "title": "Nobel", "description": "D", "narr": "N", "lang": "en", "versions": {"bn": {"title": "নোবেল"}}}\n'
    )
    versions = {"bn": {"title": "নোবেল", "description": "", "narrative": ""}}
    assert read_topics(data.encode())[0] == [TopicSpec("26", "Nobel", "D", "N", language="en", versions=versions)]
    assert read_topics(b'{"_id": "q1", "text": "who", "metadata": {"a": 1}}\n')[0] == [
        TopicSpec("q1", "who", extra={"metadata": '{"a": 1}'})
    ]


@pytest.mark.parametrize("line", [b"{", b'{"id": ["x"]}', b'{"id": "1", "title": "\\ud800"}', b'{"id": "1", "versions": 3}'])
def test_json_lines_that_are_none(line: bytes) -> None:
    assert findings(b'{"id": "0", "title": "x"}\n' + line + b"\n") == [("error", "JSON", 2)]


def test_smart_queries() -> None:
    data = b".I 001\r\n.W\r\nwhat similarity  laws\r\nhold .\r\n.I 004\r\n.T\r\nslabs\r\n.W\r\nheat in slabs .\r\n"
    one, two = read_topics(data)[0]
    assert (one.number, one.title, two.number, two.title, two.description) == (
        "1",
        "what similarity laws hold .",
        "4",
        "slabs",
        "heat in slabs .",
    )
    assert [topic.number for topic in read_topics(data, numbering="running")[0]] == ["1", "2"]


def test_parallel_versions_in_one_file() -> None:
    fields = (
        "<top><num>C1</num><EN-title>Pesticides</EN-title><FR-title>Les pesticides</FR-title><FR-desc>Trouver.</FR-desc></top>"
    )
    french = {"title": "Les pesticides", "description": "Trouver.", "narrative": ""}
    expected = [TopicSpec("C1", "Pesticides", language="en", versions={"fr": french})]
    assert read_topics(fields.encode())[0] == expected
    apart = (
        '<top lang="en"><num>C1</num><title>Pesticides</title></top>'
        '<top lang="fr"><num>C1</num><title>Les pesticides</title><desc>Trouver.</desc></top>'
    )
    assert read_topics(apart.encode())[0] == expected
    again = apart + '<top lang="fr"><num>C1</num><title>x</title></top>'
    assert findings(again.encode()) == [("error", "NUMBER_REPEATED", 1)]


def test_a_language_is_a_tag() -> None:
    assert read_topics(b"1\tx\n", language="pt-BR")[0] == [TopicSpec("1", "x", language="pt-BR")]
    assert findings(b'<top lang="in English"><num>1<title>T</top>') == [("error", "LANGUAGE", 1)]


def test_declared_encodings_and_clinical_topics() -> None:
    text = '<?xml version="1.0" encoding="ISO-8859-1"?><topics><topic number="1" type="diagnosis"><description>Fièvre</description><summary>F</summary></topic></topics>'
    topics, report = read_topics(text.encode("latin-1"))
    assert (topics, report.findings) == ([TopicSpec("1", "F", "Fièvre", extra={"type": "diagnosis"})], ())
