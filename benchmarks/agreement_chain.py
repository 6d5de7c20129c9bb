"""From a file of several assessors' judgments to a release, every figure of agreement beside that of the reference libraries.

`python -m benchmarks.agreement_chain FILE … [--levels 0-3] [--repeats first] [--labels a,b,c]`: columns topic, docno, assessor,
grade, or with --labels words from the lowest grade to the highest; or several qrels, each an assessor's. They are imported into a site of its own, agreement is asked for over the API, every open case is decided, the judgments are frozen, and
the archive checks itself. Ends with status 1 unless all is equal.
"""

import argparse
import csv
import json
import os
import shutil
import sys
import tempfile
import time
import uuid
from collections.abc import Iterator, Sequence
from itertools import combinations
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

CLOSE = 1e-9
Grades = NDArray[np.float64]  # items × assessors, NaN where one gave none


class Compared(NamedTuple):
    """A figure of ours beside the library's; None: not defined."""

    name: str
    ours: float | None
    theirs: float | None
    close: float = CLOSE

    @property
    def equal(self) -> bool:
        if self.ours is None or self.theirs is None:
            return self.ours is self.theirs
        return abs(self.ours - self.theirs) < self.close


def walk(data: bytes, levels: Sequence[int], repeats: str = "refuse") -> list[Compared]:
    """The whole chain in the database at hand; what is compared."""
    from django.test import Client

    from assess import adjudication
    from assess.core.judgment_files import Judgments
    from assess.services import adjudicating
    from config import accounts
    from config.models import User
    from evaluation.on_files import verify
    from evaluation.services import importing, releases
    from pooling.core.presets import GradeSpec
    from pooling.models import Role, Topic
    from pooling.services import collections
    from pooling.services.work import Direct
    from tests import factories

    lines = Judgments(levels, repeats)  # type: ignore[arg-type]
    _require(lines.read(data, "file", alone=True).ok, "the file is faulty; assize agree tells each fault")
    organizer, umpire = factories.make_user(), factories.make_user()
    collection = factories.make_collection(organizer, f"Chain {uuid.uuid4().hex[:8]}")
    factories.join(collection, umpire, Role.ADJUDICATOR)
    scale = [GradeSpec(level, f"Grade {level}", key=str(place)) for place, level in enumerate(levels)]
    collections.set_scale(collection, grades=scale, lenient_from=levels[1], strict_from=levels[min(2, len(levels) - 1)])
    Topic.objects.bulk_create([Topic(collection=collection, number=number, title=number) for number in lines.topics])

    def quiet(*told: object) -> None:
        pass

    begin = time.perf_counter()
    with Direct(quiet) as work:
        options = importing.Options(repeats=repeats)
        importing.take_import(collection, by=organizer, data=data, options=options, work=work)
    _say(f"{len(lines._grades):,} judgments imported", begin)
    token = accounts.make_token(user=organizer, name="chain", scopes=["read"])[1]
    client, api = Client(SERVER_NAME="127.0.0.1"), f"/api/v1/collections/{collection.slug}/agreement"
    head = {"Authorization": f"Bearer {token}"}
    client.force_login(organizer)
    for what, address in (("page", f"/c/{collection.slug}/agreement/"), ("page again", f"/c/{collection.slug}/agreement/")):
        begin = time.perf_counter()
        _require(client.get(address).status_code == 200, "the page of agreement answers 200")
        _say(f"agreement, {what}", begin)
    pairs = client.get(api, headers=head).json()
    begin = time.perf_counter()
    report = client.get(f"{api}/report?form=json", headers=head).json()
    _say("agreement, every coefficient", begin)
    names = dict(User.objects.values_list("username", "name"))
    found = [*_pairs(lines, pairs, names), *_views(lines, report, levels)]

    cases = [case for case in adjudication.cases(collection) if case.is_open]
    begin = time.perf_counter()
    for case in cases:
        act: dict[str, Any] = {"topic": case.topic, "docno": case.docno, "client_id": uuid.uuid4()}
        adjudicating.decide(collection, by=umpire, grade=case.low if case.low is not None else levels[0], **act)
    _say(f"{len(cases):,} cases decided", begin)
    begin = time.perf_counter()
    with Direct(quiet) as work:
        releases.freeze_release(collection, by=organizer, rule="first", note="", work=work)
    release = collection.releases.get()
    _say(f"release of {release.counts['items']:,} documents", begin)
    files = verify.read(_data() / release.archive)
    faults = [f"{name}: {words}" for name, good, words in verify.verify(files) if not good]
    _require(not faults, "; ".join(faults))
    _require(files["qrels.txt"] == _qrels(lines, {(c.topic, c.docno): c.low for c in cases}), "qrels are as expected")
    frozen = json.loads(files["agreement.json"])
    found += [
        Compared(f"archive, {name}", ours, theirs)
        for (name, ours), (_, theirs) in zip(_values(frozen), _values(report), strict=True)
    ]
    return found


def _data() -> Path:
    from django.conf import settings

    return Path(settings.DATA)


def _qrels(lines: Any, decided: dict[tuple[str, str], int | None]) -> bytes:
    """By hand: the first grade in the file, unless it was decided."""
    first: dict[tuple[str, str], int] = {}
    for line in lines.judged():
        first.setdefault((line.topic, line.docno), line.grade)
    first |= {pair: grade for pair, grade in decided.items() if grade is not None}
    rows = sorted((topic.encode(), docno.encode(), grade) for (topic, docno), grade in first.items())
    return b"".join(b"%b 0 %b %d\n" % row for row in rows)


# The reference libraries


def _matrix(lines: Any) -> Grades:
    found: Grades = np.full((len(lines.items), len(lines.assessors)), np.nan)
    for (item, assessor), (_line, _name, grade) in lines._grades.items():
        found[item, assessor] = grade
    twice: Grades = found[(~np.isnan(found)).sum(axis=1) > 1]
    return twice


def _pairs(lines: Any, told: dict[str, Any], people: dict[str, str]) -> Iterator[Compared]:
    """Each pair as the API tells it, against scikit-learn and statsmodels."""
    from sklearn.metrics import cohen_kappa_score, confusion_matrix  # type: ignore[import-untyped]
    from statsmodels.stats.inter_rater import aggregate_raters, cohens_kappa, fleiss_kappa

    grades, names = _matrix(lines), list(lines.assessors)
    levels = told["levels"]
    for pair in told["pairs"]:
        one, two = (names.index(people[pair[side]]) for side in ("first", "second"))
        both = grades[~np.isnan(grades[:, [one, two]]).any(axis=1)][:, [one, two]].astype(np.int64).T
        name = f"{names[one]} and {names[two]}"
        yield Compared(f"{name}, n", pair["n"], both.shape[1])
        yield Compared(f"{name}, raw", pair["agreement"], float((both[0] == both[1]).mean()))
        for key, weights in (("cohen", None), ("linear", "linear")):
            value = _kappa(cohen_kappa_score, both, levels, weights)
            yield Compared(f"{name}, {key}", pair[key], value)
        if pair["pooled"] is not None:  # Fleiss' kappa of two
            yield Compared(
                f"{name}, pooled", pair["pooled"], float(fleiss_kappa(aggregate_raters(both.T, n_cat=len(levels))[0]))
            )
        if pair["cohen"] is not None and pair["n"] > 1:  # one document has no standard error
            with np.errstate(invalid="ignore"):  # of perfect agreement it is the root of what rounding leaves of 0
                error = np.nan_to_num(cohens_kappa(confusion_matrix(*both, labels=levels)).std_kappa)
            yield Compared(f"{name}, standard error", pair["standard_error"], float(error), 1e-6)


def _kappa(score: Any, both: NDArray[np.int64], levels: Sequence[int], weights: str | None = None) -> float | None:
    if len(np.unique(both)) == 1:
        return None
    return float(score(*both, labels=list(levels), weights=weights))


def _views(lines: Any, report: dict[str, Any], levels: Sequence[int]) -> Iterator[Compared]:
    """Every coefficient of each view that a library has, too."""
    import krippendorff
    from sklearn.metrics import cohen_kappa_score
    from statsmodels.stats.inter_rater import aggregate_raters, fleiss_kappa

    grades = _matrix(lines)
    for view in report["views"]:
        seen, scale = grades, list(levels)
        if view["threshold"] is not None:
            seen, scale = np.where(np.isnan(grades), np.nan, grades >= view["threshold"]), [0, 1]
        figures, name = view["figures"], f"from {view['threshold']}" if view["threshold"] is not None else "grades"
        for metric in ("nominal", "ordinal", "interval"):
            if (ours := figures.get(f"alpha_{metric}")) is not None:
                theirs = krippendorff.alpha(seen.T, level_of_measurement=metric, value_domain=scale)
                yield Compared(f"{name}, alpha {metric}", ours["value"], float(theirs))
        if "pairwise" in figures:
            each = [
                value
                for i, j in combinations(range(seen.shape[1]), 2)
                if (both := seen[~np.isnan(seen[:, [i, j]]).any(axis=1)][:, [i, j]].astype(np.int64).T).size
                and (value := _kappa(cohen_kappa_score, both, scale)) is not None
            ]
            yield Compared(f"{name}, mean of {len(each):,} pairs", figures["pairwise"]["value"], float(np.mean(each)))
        sizes = (~np.isnan(seen)).sum(axis=1)
        if len(set(sizes.tolist())) == 1:
            rows = np.array([row[~np.isnan(row)] for row in seen]).astype(np.int64)
            theirs = float(fleiss_kappa(aggregate_raters(rows, n_cat=len(scale))[0]))
            yield Compared(f"{name}, Fleiss", figures["fleiss" if "fleiss" in figures else "pooled"]["value"], theirs)


def _values(report: dict[str, Any]) -> Iterator[tuple[str, float | None]]:
    for view in report["views"]:
        for key, figure in view["figures"].items():
            yield f"{view['threshold']} {key}", figure["value"]


def read(files: Sequence[Path], levels: Sequence[int], labels: Sequence[str] = ()) -> bytes:
    """One file with a line for each judgment, of such a file, one with labels for grades, or several qrels; of these, what is on
    no level is a machine's invalid answer, and no grade."""
    if len(files) == 1 and not labels:
        return files[0].read_bytes()
    lines = ["topic\tdocno\tassessor\tgrade"]
    if labels:
        grades = {label: place for place, label in enumerate(labels)}
        with files[0].open(newline="") as file:
            rows = [row for row in csv.DictReader(file) if row["label"] in grades]
        lines += [f"{row['topic']}\t{row['docid']}\t{row['assessor']}\t{grades[row['label']]}" for row in rows]
    for path in [] if labels else files:
        for line in path.read_text().splitlines():
            topic, _iteration, docno, grade = line.split()
            lines += [f"{topic}\t{docno}\t{path.stem}\t{grade}"] if int(grade) in levels else []
    return "\n".join([*lines, ""]).encode()


def _require(good: bool, words: str) -> None:
    if not good:
        raise SystemExit(f"Expected: {words}.")


def _say(words: str, begin: float) -> None:
    print(f"{words}: {time.perf_counter() - begin:.2f} s", file=sys.stderr)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.agreement_chain", description=__doc__)
    parser.add_argument("file", type=Path, nargs="+")
    parser.add_argument("--labels", default="", help="what the column label says, from the lowest grade to the highest")
    parser.add_argument("--levels", default="0-3", help="the scale, as 0-3; 0-3 unless given")
    parser.add_argument("--repeats", default="refuse", choices=("refuse", "first", "last"))
    options = parser.parse_args()
    low, _, high = options.levels.partition("-")
    data = Path(tempfile.mkdtemp(prefix="assize-chain-"))
    os.environ |= {"ASSIZE_DATA": str(data), "DJANGO_SETTINGS_MODULE": "config.settings"}
    try:
        import django

        django.setup()
        from django.core.management import call_command

        call_command("migrate", verbosity=0)
        call_command("collectstatic", interactive=False, verbosity=0)
        levels, labels = range(int(low), int(high) + 1), list(filter(None, options.labels.split(",")))
        found = walk(read(options.file, levels, labels), levels, options.repeats)
    finally:
        shutil.rmtree(data, ignore_errors=True)
    wrong = [one for one in found if not one.equal]
    for one in wrong:
        print(f"{one.name}: ours {one.ours}, theirs {one.theirs}")
    print(f"{len(found) - len(wrong):,} of {len(found):,} figures equal")
    sys.exit(bool(wrong))


if __name__ == "__main__":
    main()
