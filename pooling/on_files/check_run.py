"""`assize check-run`: the checks that an upload passes, without a site."""

import argparse
import json
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import BinaryIO, NamedTuple

from config.arguments import Parser
from config.arguments import whole as at_least
from pooling.core import packed
from pooling.core.findings import told
from pooling.core.repairs import REPAIRS
from pooling.core.runs import check_run, write_run
from pooling.on_files._reading import Documents, Stop, documents_of, metadata_of, say, sent, tell, topics_of, whole, write

HELP = "Check run files as an upload does, every fault by line; no site is needed."


def parser() -> argparse.ArgumentParser:
    made = Parser("assize check-run", description=HELP)
    made.add_argument(
        "run",
        nargs="+",
        help="a run of six columns, or eight with spans, packed or not; an archive of runs; YAML beside one; - is standard input",
    )
    made.add_argument("--topics", metavar="FILE", help="the topics, in any form; others are then unknown")
    made.add_argument("--documents", metavar="FILE", help="the documents in any form, or a list of docnos")
    made.add_argument("--incomplete", action="store_true", help="there are documents that the file does not have")
    made.add_argument(
        "--max-per-topic", type=at_least(1), default=1000, metavar="N", help="results of a topic at most, 1000 unless given"
    )
    made.add_argument("--depth", type=at_least(1), metavar="N", help="pool depth: shorter topics are remarked on")
    made.add_argument("--strict", action="store_true", help="what NIST's checkers refuse is an error, not a warning")
    made.add_argument(
        "--repair", type=_repairs, default=[], metavar="LIST", help=f"mend where that is called for: {','.join(REPAIRS)}"
    )
    made.add_argument("--write", metavar="FILE", help="write the run as it would be taken, repaired if asked; of one run alone")
    made.add_argument("--json", action="store_true", help="print one JSON document instead of a line for each run")
    return made


def _repairs(text: str) -> list[str]:
    names = text.replace(",", " ").split()
    for name in names or [""]:
        if name not in REPAIRS:
            raise argparse.ArgumentTypeError(f"expected some of {', '.join(REPAIRS)}, found {f'“{name}”' if name else 'none'}")
    return names


def main(argv: list[str]) -> int:
    made = parser()
    options = made.parse_args(argv)
    runs = [name for name in options.run if not packed.is_metadata(name)]
    if not runs or (options.write and len(runs) > 1):
        made.error(f"--write is of one run; found {len(runs)}." if runs else "Expected a run beside its metadata.")
    try:
        known = Known(
            topics_of(options.topics) if options.topics else None,
            documents_of(options.documents) if options.documents else None,
            metadata_of(options.run),
        )
        if options.write and options.run != ["-"] and (count := sum(1 for _ in _runs(runs))) > 1:
            raise Stop(f"--write is of one run; the archive holds {count}.")
        reports = [_checked(shown, whole(shown, file), options, known) for shown, file in _runs(runs)]
    except Stop as stop:
        say(f"Error: {stop}")
        return 1
    if options.json:
        sys.stdout.write(json.dumps(reports, indent=2, ensure_ascii=False) + "\n")
    return int(any(report["errors"] for report in reports))


class Known(NamedTuple):
    """What the runs are checked against; metadata by stem."""

    topics: set[str] | None
    documents: Documents | None
    metadata: dict[str, str]


def _runs(names: Sequence[str]) -> Iterator[tuple[str, BinaryIO]]:
    for name in names:
        yield from (found for found in sent(name) if not packed.is_metadata(found[0]))


def _checked(name: str, data: bytes, options: argparse.Namespace, known: Known) -> dict[str, object]:
    documents = known.documents
    found = check_run(
        data,
        topics=known.topics,
        docnos=documents.docnos if documents else None,
        text_lengths=documents.text_lengths if documents and documents.lengths is not None else None,
        complete=not options.incomplete,
        max_per_topic=options.max_per_topic,
        strict=options.strict,
        depth=options.depth,
        repair=options.repair,
    )
    told_beside = known.metadata.get(packed.stem(Path(name).name)) or found.header
    if told_beside:
        from pooling.core.metadata import read_metadata

        read_metadata(told_beside, found.report)
    report, rankings = found.report, found.rankings
    facts = {"topics": len(rankings.topics), "lines": len(found.passages or rankings)} if rankings is not None else {}
    if options.write and rankings is not None and report.ok:
        write(options.write, write_run(found.passages or rankings))
    if not options.json:
        tell(name, report)
        verdict = "accepted" if report.ok else f"refused, {_many(report.errors, 'fault')}"
        counted = f", {_many(facts['lines'], 'line')} for {_many(facts['topics'], 'topic')}" if facts else ""
        mended = f"; repaired: {', '.join(found.mended)}" if found.mended else ""
        offered = f"; --repair {','.join(report.offers)} would mend something" if report.offers else ""
        sys.stdout.write(f"{name}: {verdict}{counted}{mended}{offered}\n")
    repairs = {"repaired": list(found.mended)}
    return {
        "file": name,
        "verdict": "accepted" if report.ok else "refused",
        "tag": found.tag,
        **facts,
        **told(report),
        **repairs,
    }


def _many(count: int, name: str) -> str:
    return f"{count:,} {name}{'' if count == 1 else 's'}"
