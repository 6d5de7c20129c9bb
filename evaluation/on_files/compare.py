"""`assize compare`: do runs differ, by how much, and could it be chance?"""

from __future__ import annotations

import argparse
import sys

from config.arguments import Parser

HELP = "Compare runs: differences, tests, effect sizes"


def parser() -> argparse.ArgumentParser:
    about = "Compares two or more runs topic by topic: means, differences with intervals, a test for each pair, effect sizes."
    made = Parser(prog="assize compare", description=about)
    made.add_argument("qrels", metavar="QRELS", help="file of judgments (topic 0 docno grade), gzipped or not")
    made.add_argument("runs", metavar="RUNS", nargs="+", help="two or more files of results (topic Q0 docno rank score tag)")
    made.add_argument("-m", dest="measure", default="AP", metavar="MEASURE", help="what to compare by; AP")
    made.add_argument("-l", dest="level", type=int, default=1, metavar="GRADE", help="relevant from this grade on; 1")
    made.add_argument(
        "--test",
        choices=("t", "randomization", "tukey", "randomized-tukey", "wilcoxon", "sign", "bootstrap"),
        help="randomization for two runs and randomized-tukey for more, unless given",
    )
    made.add_argument("--correction", choices=("holm", "bh", "bonferroni"), default="holm", help="for several pairs; holm")
    made.add_argument("--baseline", metavar="TAG", help="compare each run with this one alone")
    made.add_argument("--seed", type=int, help="of the random tests; the same seed gives the same answer")
    shown = made.add_mutually_exclusive_group()
    shown.add_argument("--json", action="store_true", help="print one JSON document")
    shown.add_argument("--latex", action="store_true", help="print a table for a paper")
    return made


def main(argv: list[str]) -> int:
    made = parser()
    options = made.parse_args(argv)
    if len(options.runs) < 2:
        made.error(f"expected at least 2 runs to compare, found {len(options.runs)}")
    if options.level < 1:
        made.error(f"expected a grade of at least 1, found {options.level}")
    from evaluation.scoring import compare, evaluate

    try:
        baseline = None
        if options.baseline is not None:
            tags = evaluate(options.qrels, options.runs, ["NumQ"]).runs
            if options.baseline not in tags:
                raise ValueError(f"expected a baseline among {', '.join(tags)}, found {options.baseline}")
            baseline = tags.index(options.baseline)
        found = compare(
            options.qrels,
            options.runs,
            options.measure,
            test=options.test,
            correction=options.correction,
            baseline=baseline,
            rel=options.level,
            seed=options.seed,
        )
    except ValueError as error:
        sys.stderr.write(f"{error}\n")
        return 1
    sys.stdout.write(f"{found.to_json()}\n" if options.json else found.to_latex() if options.latex else str(found))
    return 0
