"""`assize eval`: trec_eval's command line and output, on the same functions as the site's scores."""

from __future__ import annotations

import argparse
import sys
from dataclasses import replace
from typing import TYPE_CHECKING, BinaryIO, NoReturn

from config.arguments import Parser

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from evaluation.core.dialects import Rules
    from evaluation.core.evaluate import Scores
    from evaluation.core.judged import Given, Judged
    from evaluation.core.qrels import Qrels
    from evaluation.core.trec_files import FileFault, Role
    from evaluation.core.trec_names import Line
    from evaluation.core.trec_run import RunHits
    from pooling.core.sampled_qrels import Form

HELP = "Score runs against qrels as trec_eval does"
STDIN = "-"
USAGE, UNREADABLE, NOT_COMPUTED, NO_TOPICS = 1, 2, 4, 7  # trec_eval's own


class _Parser(Parser):
    def error(self, message: str) -> NoReturn:
        self.print_usage(sys.stderr)
        self.exit(USAGE, f"{self.prog}: {message}\n")


def parser() -> argparse.ArgumentParser:
    about = (
        "Scores runs against qrels, with trec_eval's options, output and exit statuses. Without --dialect the rules of "
        "Assize hold: recall levels are exact, and topics that a run lacks count as zero."
    )
    made = _Parser(prog="assize eval", description=about)
    made.add_argument("qrels", metavar="QRELS", help="file of judgments (topic 0 docno grade), gzipped or not, - for stdin")
    made.add_argument("runs", metavar="RUNS", nargs="+", help="files of results (topic Q0 docno rank score tag), likewise")
    made.add_argument("-q", action="store_true", dest="per_topic", help="print the scores of each topic too")
    made.add_argument("-n", action="store_false", dest="summary", help="print no scores over all topics")
    made.add_argument("-c", action="store_true", dest="complete", help="average over all topics of the qrels")
    made.add_argument("-l", type=_level, default=1, dest="level", metavar="GRADE", help="relevant from this grade on; 1")
    made.add_argument("-J", action="store_true", dest="judged_only", help="leave unjudged documents out of the rankings")
    made.add_argument("-M", type=_whole, dest="depth", metavar="DEPTH", help="read this many documents of a topic at most")
    made.add_argument("-N", type=_whole, dest="documents", metavar="COUNT", help="documents in the collection")
    made.add_argument(
        "-m",
        action="append",
        default=[],
        dest="measures",
        metavar="MEASURE",
        help="a measure (map, P.5,10, nDCG@10 …) or a set of them (official, set, all_trec); may be repeated",
    )
    made.add_argument(
        "--answered-topics",
        action="store_true",
        help="average over the topics that the run answers, as trec_eval without -c; others count as zero unless --dialect is 9 or 10",
    )
    made.add_argument(
        "--relevant-topics",
        action="store_true",
        help="leave out topics without a relevant document, which score zero otherwise",
    )
    made.add_argument(
        "--sample",
        choices=("strata", "prels"),
        help="what qrels of five columns are, where they do not tell it themselves: topic 0 docno stratum grade, or topic docno grade method probability",
    )
    made.add_argument(
        "--passages",
        action="store_true",
        help="score passages by characters: QRELS holds those that were marked (topic docno start-end,start-end, or exported judgments as CSV), runs rank passages; PartP@k, PartR@k, PartF@k, iP@x, AiP",
    )
    made.add_argument(
        "--range",
        action="store_true",
        dest="ranges",
        help="print the lowest and highest mean that unjudged documents allow too, of AP, P@k, nDCG and RBP",
    )
    made.add_argument("--dialect", choices=("9", "10"), help="print what trec_eval 9.0.8 or 10.0 prints")
    return made


def _whole(text: str) -> int:
    if not (text.isascii() and text.isdigit()) or not 0 < int(text) < 1 << 62:
        raise argparse.ArgumentTypeError(f'expected a whole number of at least 1, found "{text}"')
    return int(text)


def _level(text: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) < 10):
        raise argparse.ArgumentTypeError(f'expected a grade from 0 to 999999999, found "{text}"')
    return int(text)


def main(argv: list[str]) -> int:
    options = parser().parse_args(argv)
    from evaluation.core.definitions import MeasureError
    from evaluation.core.dialects import RULES
    from evaluation.core.judged import Given
    from evaluation.core.trec_files import FileFault, read_all, read_qrels_table
    from evaluation.core.trec_names import lines
    from evaluation.core.trec_run import read_hits
    from pooling.core.sampled_qrels import has_five_columns

    if options.answered_topics and (options.complete or options.dialect):
        _say("expected one of --answered-topics, -c and --dialect, found several")
        return USAGE
    if options.passages:
        return _passages(options)
    if options.ranges and (options.dialect or options.judged_only):
        _say("--range is of unjudged documents by our own rules; expected it without --dialect and -J")
        return USAGE
    rules = RULES[options.dialect]
    try:
        asked = lines(options.measures, all_trec_10=rules.all_trec_10)
        if len(options.runs) > 1 and not any(line.special == "runid" for line in asked):
            asked = [*lines(["runid"]), *asked]  # which numbers are whose
        _check_documents(asked, options.documents)
    except MeasureError as error:
        _say(f"{_illegal(options)}{error}")
        return USAGE
    if [options.qrels, *options.runs].count(STDIN) > 1:
        _say("expected at most one file from stdin, found several")
        return USAGE
    name = options.qrels
    try:
        data = read_all(_opener(name, "qrels"), "qrels")
        given = Given(rules.recall_points, options.documents)
        if options.dialect is None and has_five_columns(data):
            qrels, given = _sampled(data, options.sample, given)
            twice: dict[int, bytes] = {}
        else:
            qrels, twice = read_qrels_table(data, rules)
        if options.relevant_topics:
            qrels, given, twice = _with_relevant(qrels, given, twice, options.level)
        _check_given(asked, given)
        files = [_opener(run, "results") for run in options.runs]
        status = 0
        runs = read_hits(files, qrels, rules, options.depth)
        for name in options.runs:
            status = _scored(options, rules, asked, qrels, given, twice, name, next(runs)) or status
        return status
    except FileFault as fault:
        _say(_unreadable(name, fault, options.dialect))
        return UNREADABLE
    except MeasureError as error:
        _say(str(error))
        return USAGE


def _passages(options: argparse.Namespace) -> int:
    """Runs of passages, by characters, over the topics with a marked passage."""
    from evaluation.core.definitions import MeasureError
    from evaluation.core.passages import read_marked, score_passages
    from evaluation.core.registry import parse_measure
    from evaluation.core.trec_files import DAMAGED, FileFault, read_all
    from pooling.core.runs import check_run

    name = options.qrels
    try:
        asked = [parse_measure(one) for one in options.measures or ("PartP@10", "PartR@10", "PartF@10", "AiP")]
        whole = [str(one) for one in asked if one.definition.needs != "evidence"]
        if whole:
            _say(f"{whole[0]} is of whole documents; expected PartP@k, PartR@k, PartF@k, iP@x or AiP with --passages")
            return USAGE
        marked = read_marked(read_all(_opener(name, "qrels"), "qrels").decode())
        for name in options.runs:
            found = check_run(read_all(_opener(name, "results"), "results"), max_per_topic=10**6)
            if found.passages is None:
                fault = next((one.message for one in found.report.findings if one.severity == "error"), "")
                _say(
                    f"{name}: {fault or 'expected passages (start and length behind the tag, or docno:start-end), found documents'}"
                )
                return UNREADABLE
            scored = score_passages(found.passages, marked)
            values = {str(one): one.values(scored.found).tolist() for one in asked}
            if options.per_topic:
                for place, topic in enumerate(scored.topics.tolist()):
                    sys.stdout.writelines(f"{one:<22}\t{topic.decode()}\t{row[place]:.4f}\n" for one, row in values.items())
            if options.summary:
                sys.stdout.write(f"{'runid':<22}\tall\t{found.tag}\n{'num_q':<22}\tall\t{len(scored.topics)}\n")
                sys.stdout.writelines(f"{one:<22}\tall\t{sum(row) / len(row):.4f}\n" for one, row in values.items())
        return 0
    except MeasureError as error:
        _say(str(error))
        return USAGE
    except (FileFault, ValueError, *DAMAGED) as fault:
        _say(f"{name}: {fault}")
        return UNREADABLE


def _check_documents(asked: Sequence[Line], documents: int | None) -> None:
    from evaluation.core.definitions import MeasureError

    for line in asked:
        if line.measure and line.measure.definition.needs == "documents" and documents is None:
            raise MeasureError(f"{line.name} needs the number of documents in the collection, as -N 1400")


def _check_given(asked: Sequence[Line], given: Given) -> None:
    """Whether the files tell all that the measures need."""
    from evaluation.core.definitions import MeasureError

    files = {
        "strata": "sampled qrels (topic 0 docno stratum grade)",
        "inclusion": "prels (topic docno grade method probability)",
    }
    for line in asked:
        needs = line.measure.definition.needs if line.measure else ""
        if needs in files and getattr(given, needs) is None:
            raise MeasureError(f"{line.name} is estimated from a sample; expected {files[needs]}, found qrels without")
        if needs == "evidence":
            raise MeasureError(f"{line.name} is of passages; expected those that were marked, with --passages")
        if needs in ("known", "expected"):
            raise MeasureError(f"{line.name} needs what no file tells; from Python: evaluate(…, {needs}=…)")


def _sampled(data: bytes, form: Form | None, given: Given) -> tuple[Qrels, Given]:
    from evaluation.core.sampled_files import judged_sample
    from evaluation.core.trec_files import FileFault
    from pooling.core.sampled_qrels import SampledFault, read_sampled

    try:
        return judged_sample(read_sampled(data, form), given)
    except SampledFault as fault:
        raise FileFault(f"{fault}{', with --sample' if str(fault).endswith('say which') else ''}", "qrels") from fault


def _with_relevant(qrels: Qrels, given: Given, twice: dict[int, bytes], level: int) -> tuple[Qrels, Given, dict[int, bytes]]:
    """All of it without the topics that have no document of this level."""
    wanted = qrels.num_rel(level) > 0
    kept = wanted[qrels.codes]
    strata = None if given.strata is None else given.strata[kept]
    inclusion = None if given.inclusion is None else given.inclusion[kept]
    places = wanted.cumsum() - 1
    left = {int(places[place]): docno for place, docno in twice.items() if wanted[place]}
    return qrels.only(wanted), replace(given, strata=strata, inclusion=inclusion), left


class _NotComputed(Exception):
    """A topic stops the evaluation, those before it done: trec_eval's status 4."""

    def __init__(self, message: str, place: int) -> None:
        super().__init__(message)
        self.place = place


def _scored(
    options: argparse.Namespace,
    rules: Rules,
    asked: Sequence[Line],
    qrels: Qrels,
    given: Given,
    twice: dict[int, bytes],
    name: str,
    hits: RunHits,
) -> int:
    """Print the scores of one run; its status."""
    from evaluation.core.doubt import range_lines
    from evaluation.core.evaluate import MissingTopic, evaluate_judged
    from evaluation.core.trec_output import relstrings, summary_text, topic_texts
    from evaluation.core.trec_run import judged_rankings

    judged = judged_rankings(qrels, [hits], given)
    complete = options.complete or (rules.missing == "zero" and not options.answered_topics)
    _note(options, name, hits, qrels, judged)
    if not (judged.num_ret > 0).any() and not (options.complete and rules.shows_missing):
        _say("No queries with both results and relevance info", options.dialect)
        _hint(options, name, qrels)
        return NO_TOPICS
    measures = list({str(line.measure): line.measure for line in asked if line.measure}.values())

    def scores(rules: Rules) -> Scores:
        return evaluate_judged(
            judged, (hits.tag,), measures, rel=options.level, complete=complete, judged_only=options.judged_only, rules=rules
        )

    stop = _stop(options, qrels, name, hits, twice, asked)
    try:
        found = scores(rules)
    except MissingTopic as missing:
        found = scores(replace(rules, missing="skip"))
        if stop is None or missing.place < stop.place:
            stop = _NotComputed(f"trec_eval: result qid '{missing.topic}' not found in qrels", missing.place)
    length = next((line.length for line in asked if line.special == "relstring"), 0)
    strings = relstrings(judged.condensed if options.judged_only else judged, length) if length else []
    if options.per_topic:
        upto = len(qrels.topics) if stop is None else stop.place
        texts = topic_texts(found, 0, asked, strings=strings, shows_missing=rules.shows_missing, upto=upto)
        sys.stdout.writelines(texts)
    if stop is not None:
        sys.stdout.flush()
        sys.stderr.write(f"{stop}\n")
        return NOT_COMPUTED
    if options.summary:
        sys.stdout.write(summary_text(found, 0, asked))
        if options.ranges:
            sys.stdout.writelines(range_lines(judged, asked, rel=options.level, complete=complete))
    return 0


def _stop(
    options: argparse.Namespace, qrels: Qrels, name: str, hits: RunHits, twice: dict[int, bytes], asked: Sequence[Line]
) -> _NotComputed | None:
    """Where a document that stands twice stops the evaluation: in a topic of the run, or in the judgments of one."""
    found = {place: docno for place, docno in twice.items() if hits.num_ret[place] or options.dialect != "9"}
    if hits.repeated:
        found[hits.repeated.place] = hits.repeated.docno
    if not found:
        return None
    place = min(found)
    docno = found[place].decode("utf-8", "replace")
    if options.dialect is None:
        file = name if hits.repeated and hits.repeated.place == place else options.qrels
        topic = qrels.topics[place].decode("utf-8", "replace")
        return _NotComputed(f"{file}: expected a document once for each topic, found {docno} twice for topic {topic}", place)
    first = next((line.name for line in asked if line.special != "runid" and line.name != "num_q"), "runid")
    return _NotComputed(f"trec_eval.form_res_qrels: duplicate docs {docno}trec_eval: Can't calculate measure '{first}'", place)


def _note(options: argparse.Namespace, name: str, hits: RunHits, qrels: Qrels, judged: Judged) -> None:
    """What a reader of the scores should know, on stderr."""
    from evaluation.core.doubt import few_judged, only_relevant

    if options.dialect is None and only_relevant(judged, options.level):
        if name == options.runs[0]:  # of the qrels, so it is said once
            _say(f"note: {options.qrels} lists relevant documents only; what it lacks counts as not relevant")
    elif options.dialect is None and (share := few_judged(judged)) is not None:
        _say(f"note: {name}: only {100 * share:.0f} % of its first ten documents are judged; its scores may be too low")
    if hits.guessed:
        _say(f"note: {name}: line {hits.guessed}: a score that is no number, read as trec_eval reads it")
    missing = int((hits.num_ret == 0).sum())
    if missing and options.dialect is None:
        which = "1 topic" if missing == 1 else f"{missing:,} topics"
        _say(
            f"note: {name} has no results for {which} of {len(qrels.topics):,}; {'left out' if options.answered_topics else 'each counts as zero'}"
        )


def _hint(options: argparse.Namespace, name: str, qrels: Qrels) -> None:
    """Which topic of the qrels one of the run was meant to be: no more than a hint, for trec_eval takes names as they are."""
    import numpy as np

    from evaluation.core.trec_files import read_all, read_run_table
    from pooling.core.lines import spelled_topics

    if options.dialect is not None or name == STDIN:  # which was read, and is gone
        return
    run = np.unique(read_run_table(read_all(_opener(name, "results"), "results")).topics)
    for names, others, run_first in ((run, qrels.topics, True), (qrels.topics, run, False)):
        spelled, changed, _known = spelled_topics(names, set(np.strings.decode(others, "utf-8").tolist()))
        if changed.any():
            place = int(changed.argmax())
            pair = [names[place].decode(), spelled[place].decode()]
            one, other = pair if run_first else pair[::-1]
            _say(f"note: topic {one} of the run looks like topic {other} of the qrels; names are compared as they are")
            return


def _illegal(options: argparse.Namespace) -> str:
    return "trec_eval: illegal measure: " if options.dialect else ""


def _unreadable(name: str, fault: FileFault, dialect: str | None) -> str:
    if dialect is None or not fault.record:
        return f"{name}: {fault}"
    reader = "get_qrels" if fault.role == "qrels" else "get_results"
    return f"trec_eval.{reader}: Malformed line {fault.record}\ntrec_eval: Quit in file '{name}'"


def _opener(name: str, role: Role) -> Callable[[], BinaryIO]:
    """What opens a file; stdin is read at once, since it can be read only once."""
    import gzip
    import io

    from evaluation.core.trec_files import opener
    from pooling.core.packed import GZIP

    if name != STDIN:
        return opener(name, role)
    data = sys.stdin.buffer.read()
    unpacked = gzip.decompress(data) if data.startswith(GZIP) else data
    return lambda: io.BytesIO(unpacked)


def _say(message: str, dialect: str | None = None) -> None:
    sys.stderr.write(f"{'trec_eval: ' if dialect else ''}{message}\n")
