"""`assize check-run`: the checks that an upload passes, without a site."""

import argparse
import json
import sys

from pooling.core.findings import told
from pooling.core.repairs import REPAIRS
from pooling.core.runs import check_run, write_run
from pooling.on_files._reading import Stop, docnos_of, say, tell, topics_of, unpack, write

HELP = "Check run files as an upload does, every fault by line; no site is needed."


def parser() -> argparse.ArgumentParser:
    made = argparse.ArgumentParser("assize check-run", description=HELP)
    made.add_argument("run", nargs="+", help="a run of six columns, or eight with spans; packed or not; - is standard input")
    made.add_argument("--topics", metavar="FILE", help="the topics, in any form; others are then unknown")
    made.add_argument("--documents", metavar="FILE", help="the documents in any form, or a list of docnos")
    made.add_argument("--incomplete", action="store_true", help="there are documents that the file does not have")
    made.add_argument(
        "--max-per-topic", type=int, default=1000, metavar="N", help="results of a topic at most, 1000 unless given"
    )
    made.add_argument("--depth", type=int, metavar="N", help="pool depth: shorter topics are remarked on")
    made.add_argument("--strict", action="store_true", help="what NIST's checkers refuse is an error, not a warning")
    made.add_argument(
        "--repair", type=_repairs, default=[], metavar="LIST", help=f"mend where that is called for: {','.join(REPAIRS)}"
    )
    made.add_argument("--write", metavar="FILE", help="write the run as it would be taken, repaired if asked; of one run alone")
    made.add_argument("--json", action="store_true", help="print one JSON document instead of a line for each run")
    return made


def _repairs(text: str) -> list[str]:
    names = text.replace(",", " ").split()
    for name in names:
        if name not in REPAIRS:
            raise argparse.ArgumentTypeError(f"expected some of {', '.join(REPAIRS)}, found “{name}”")
    return names


def main(argv: list[str]) -> int:
    made = parser()
    options = made.parse_args(argv)
    if options.write and len(options.run) > 1:
        made.error(f"--write is of one run; found {len(options.run)}.")
    try:
        topics = topics_of(options.topics) if options.topics else None
        docnos = docnos_of(options.documents) if options.documents else None
        reports = [_checked(name, options, topics, docnos) for name in options.run]
    except Stop as stop:
        say(f"Error: {stop}")
        return 1
    if options.json:
        sys.stdout.write(json.dumps(reports, indent=2, ensure_ascii=False) + "\n")
    return int(any(report["errors"] for report in reports))


def _checked(name, options, topics, docnos) -> dict[str, object]:  # type: ignore[no-untyped-def]
    found = check_run(
        unpack(name),
        topics=topics,
        docnos=docnos,
        complete=not options.incomplete,
        max_per_topic=options.max_per_topic,
        strict=options.strict,
        depth=options.depth,
        repair=options.repair,
    )
    if found.header:
        from pooling.core.metadata import read_metadata

        read_metadata(found.header, found.report)
    report, rankings = found.report, found.rankings
    facts = {"topics": len(rankings.topics), "lines": len(found.passages or rankings)} if rankings is not None else {}
    if options.write and rankings is not None and report.ok:
        write(options.write, write_run(found.passages or rankings))
    if not options.json:
        tell(name, report)
        verdict = "accepted" if report.ok else f"refused, {report.errors:,} fault{'' if report.errors == 1 else 's'}"
        counted = f", {facts['lines']:,} lines for {facts['topics']:,} topics" if facts else ""
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
