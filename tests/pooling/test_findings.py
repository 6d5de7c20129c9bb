import numpy as np

from pooling.core.findings import Finding, Report, kinds, shown, told


def test_report_without_errors_is_ok() -> None:
    report = Report()
    report.add("warning", "BOM", 1, "A mark.")
    assert (report.ok, report.errors, report.warnings) == (True, 0, 1)


def test_report_lists_the_first_errors_by_line_and_counts_all() -> None:
    report = Report(max_errors=2)
    report.add_many("error", "LATE", np.array([9, 4, 7]), lambda i: f"late {i}")
    report.add("error", "EARLY", 3, "early")
    report.add("error", "EARLY", 5, "early")
    listed = [(one.code, one.line) for one in report.findings]
    assert listed == [("EARLY", 3), ("LATE", 4), ("EARLY", 5), ("TOO_MANY_ERRORS", 5)]
    assert report.findings[-1].message == "5 errors in all; the first 3 are listed. Correct these and check again."
    assert (report.errors, report.ok, report.count("LATE")) == (5, False, 3)


def test_report_lists_one_hundred_errors_at_most() -> None:
    report = Report()
    for line in range(1, 10_001):
        report.add("error", "FIELDS", line, "no")
    assert [one.code for one in report.findings] == ["FIELDS"] * 100 + ["TOO_MANY_ERRORS"]
    assert report.errors == 10_000


def test_report_that_lists_one_error_says_so() -> None:
    report = Report(max_errors=0)
    report.add("error", "FIELDS", 1, "no")
    report.add("error", "FIELDS", 2, "no")
    assert report.findings[-1].message == "2 errors in all; the first is listed. Correct it and check again."


def test_report_puts_errors_first_and_the_whole_file_last() -> None:
    report = Report()
    report.add("info", "SCORE_TIES", 1, "i")
    report.add("warning", "TOPIC_MISSING", 0, "w0")
    report.add("warning", "Q0", 8, "w8")
    report.add("error", "FIELDS", 9, "e")
    assert [one.message for one in report.findings] == ["e", "w8", "w0", "i"]


def test_report_tells_equal_faults_once_with_their_number() -> None:
    report = Report(max_errors=2)
    for line in (2, 3, 5, 8):
        report.add_alike("error", "SCORE_NOT_FINITE", line, 'Score "-inf" cannot be ranked.', "-inf")
    report.add_alike("error", "SCORE_NOT_FINITE", 9, 'Score "nan" cannot be ranked.', "nan")
    assert [(one.line, one.lines, one.message) for one in report.findings] == [
        (2, 4, 'Score "-inf" cannot be ranked. It stands on 4 lines (2, 3, 5 …).'),
        (9, 1, 'Score "nan" cannot be ranked.'),
    ]
    assert (report.errors, report.tally, kinds(told(report))) == (5, {}, 1)  # nothing is left out
    for line in range(10, 20):
        report.add_alike("error", "SCORE_NOT_FINITE", line, f'Score "{line}" cannot be ranked.', str(line))
    assert report.findings[-1].code == "TOO_MANY_ERRORS"
    assert report.tally == {"error": [(15, "scores that cannot be ranked")]}


def test_all_that_stands_once_for_many_lines_is_listed() -> None:
    report = Report()
    report.add_grouped("error", "TOPIC_UNKNOWN", np.arange(1, 121), np.arange(120) % 2, lambda i, many: f"{i} {many}")
    assert ([one.lines for one in report.findings], report.tally) == ([60, 60], {})


def test_report_says_once_what_is_said_once() -> None:
    report = Report()
    report.add_once("error", "TAG_MIXED", 4, "first")
    report.add_once("error", "TAG_MIXED", 5, "second")
    assert report.findings == (Finding("error", "TAG_MIXED", 4, "first"),)


def test_report_words_only_what_it_lists() -> None:
    asked: list[int] = []

    def message(i: int) -> str:
        asked.append(i)
        return ""

    Report(max_notes=3).add_many("warning", "DOC_UNKNOWN", np.arange(1, 1000), message)
    assert asked == [0, 1, 2]


def test_shown_cuts_and_escapes() -> None:
    assert shown(b"plain") == "plain"
    assert shown("tab\tand \u2028") == "tab\\tand \\u2028"
    assert shown(b"x" * 81) == "x" * 80 + "…"
    assert len(shown("\x01" * 80)) == 81
