"""Checks a release without Assize: sums, counts, how the grades came about, agreement. Python 3.10 or newer, no packages.

python verify.py                the folder that this file is in
python verify.py RELEASE.zip    an archive as it was downloaded
"""

import argparse
import csv
import hashlib
import io
import json
import sys
import zipfile
from collections import Counter, defaultdict
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import Any

HELP = "Check the archive of a release: sums, counts, merged grades, agreement; no site is needed."
NEAR = 1e-9
Pair = tuple[str, str]
Check = tuple[str, bool, str]


def parser() -> argparse.ArgumentParser:
    made = argparse.ArgumentParser("assize verify", description=HELP)
    made.add_argument("file", nargs="?", help="archive or unpacked folder of a release; the folder of this script unless given")
    made.add_argument("--json", action="store_true", help="print one JSON document instead of lines")
    return made


def main(argv: list[str]) -> int:
    made = parser()
    options = made.parse_args(argv)
    if options.file is not None and not options.file.strip():  # Path("") is the present folder
        made.error("argument file: Expected the name of a file; found nothing.")
    try:
        files = read(Path(options.file) if options.file else Path(__file__).resolve().parent)
        checks = verify(files)
    except (OSError, ValueError, KeyError, zipfile.BadZipFile) as error:
        checks = [("archive", False, f"cannot be read: {_why(error)}")]
    good = all(passed for _name, passed, _words in checks)
    if options.json:
        rows = [{"check": name, "ok": passed, "found": words} for name, passed, words in checks]
        sys.stdout.write(json.dumps({"ok": good, "checks": rows}, indent=2) + "\n")
    else:
        for name, passed, words in checks:
            sys.stdout.write(f"{'ok   ' if passed else 'WRONG'} {name}: {words}\n")
    return 0 if good else 1


def _why(error: Exception) -> str:
    match error:
        case OSError():
            return error.strerror or str(error)
        case KeyError():
            return f"expected {error.args[0]} in it; found none"
        case zipfile.BadZipFile():
            return f"expected the archive of a release, or its folder; found neither ({error})"
    return str(error)


def read(path: Path) -> dict[str, bytes]:
    """The files of an archive or folder, without the folder's own name."""
    if path.is_dir():
        found = {str(one.relative_to(path)).replace("\\", "/"): one.read_bytes() for one in path.rglob("*") if one.is_file()}
        return {name: data for name, data in found.items() if "__pycache__" not in name}
    with zipfile.ZipFile(path) as archive:
        return {name.split("/", 1)[-1]: archive.read(name) for name in archive.namelist() if not name.endswith("/")}


def verify(files: dict[str, bytes]) -> list[Check]:
    checks = [_sums(files)]
    if "release.json" not in files:
        return checks if "scores.csv" in files else [*checks, ("release", False, "there is no release.json")]
    try:
        return checks + _content(files)
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError) as error:
        # Which file it is, the sums have told, unless somebody made them anew.
        return [*checks, ("content", False, f"is not as a release has it: {_why(error)}")]


def _content(files: dict[str, bytes]) -> list[Check]:
    told = json.loads(files["release.json"])
    qrels = _qrels(files["qrels.txt"])
    checks = [_counts(told, qrels), _digest(told, files)]
    checks += [_binary(told, qrels, files, view) for view in ("lenient", "strict")]
    if "judgments.csv" in files:
        checks += _judged(told, qrels, files)
    return checks


def _judged(told: dict[str, Any], qrels: dict[Pair, int], files: dict[str, bytes]) -> list[Check]:
    """What can be told from the judgments: all but imported qrels have them."""
    checks = []
    if "judgments_sha256" in told:  # releases of before it was told lack it
        found = judgments_digest(files)
        checks.append(("judgments", found == told["judgments_sha256"], f"SHA-256 {found}"))
    rows = _csv(files["judgments.csv"])
    first = [row for row in rows if row.get("occasion", "0") == "0"]  # others are hidden repeats, and count nowhere
    counted = [row for row in first if row["status"] == "grade"]
    decisions = {(row["topic"], row["docno"]): int(row["grade"]) for row in map(json.loads, _lines(files["decisions.jsonl"]))}
    merged = _sources(told, _grades(counted), decisions)
    checks += [_opinions(told, counted, merged), _merged(told, merged, qrels), _pool(merged, qrels, files)]
    return [*checks, *_agreement(told, counted, files), _evidence(first, files)]


def _csv(data: bytes) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(data.decode(), newline="")))


def _lines(data: bytes) -> list[str]:
    """Only a line feed ends a line: texts and document numbers may hold what else Python takes for an end."""
    return data.decode().removesuffix("\n").split("\n") if data else []


def _sums(files: dict[str, bytes]) -> Check:
    lines = [line.split("  ", 1) for line in _lines(files["SHA256SUMS"])]
    told = {name: digest for digest, name in lines}
    bad = sorted(name for name, digest in told.items() if hashlib.sha256(files.get(name, b"")).hexdigest() != digest)
    strange = sorted(set(files) - set(told) - {"SHA256SUMS"})
    words = f"{len(told)} files" + (f"; other content: {', '.join(bad)}" if bad else "")
    return "sums", not bad and not strange, words + (f"; not of the release: {', '.join(strange)}" if strange else "")


def _qrels(data: bytes) -> dict[Pair, int]:
    found: dict[Pair, int] = {}
    for line in _lines(data):
        topic, _zero, docno, grade = line.split(" ")
        found[topic, docno] = int(grade)
    return found


def _counts(told: dict[str, Any], qrels: dict[Pair, int]) -> Check:
    grades = {str(grade): count for grade, count in sorted(Counter(qrels.values()).items())}
    found = {"items": len(qrels), "topics": len({topic for topic, _docno in qrels}), "grades": grades}
    good = all(told["counts"][name] == value for name, value in found.items())
    return "counts", good, f"{found['items']} documents of {found['topics']} topics, grades {grades}"


def _digest(told: dict[str, Any], files: dict[str, bytes]) -> Check:
    found = hashlib.sha256(files["qrels.txt"]).hexdigest()
    return "qrels", found == told["qrels_sha256"], f"SHA-256 {found}"


JUDGED = ("judgments.csv", "evidence.csv", "decisions.jsonl")


def judgments_digest(files: dict[str, bytes]) -> str:
    """Of all that was judged and decided: the SHA-256 of the files' own, in this order."""
    each = [hashlib.sha256(files[name]).hexdigest() for name in JUDGED]
    return hashlib.sha256("\n".join(each).encode()).hexdigest()


def _binary(told: dict[str, Any], qrels: dict[Pair, int], files: dict[str, bytes], view: str) -> Check:
    start = told["counts"][f"{view}_from"]
    expected = {pair: int(grade >= start) for pair, grade in qrels.items() if grade >= 0}
    good = _qrels(files[f"qrels-{view}.txt"]) == expected
    return f"{view} qrels", good, f"{sum(expected.values())} relevant from grade {start}"


def _grades(counted: list[dict[str, str]]) -> dict[Pair, list[int]]:
    """The grades of each document, that of the primary assessor first."""
    found: dict[Pair, list[int]] = defaultdict(list)
    for row in counted:
        found[row["topic"], row["docid"]].append(int(row["grade"]))
    return found


def _evidence(rows: list[dict[str, str]], files: dict[str, bytes]) -> Check:
    """Each passage is of a document that its assessor judged, and begins before it ends."""
    judged = {(row["topic"], row["docid"], row["assessor"]) for row in rows}
    found = _csv(files["evidence.csv"])
    good = all((one["topic"], one["docid"], one["assessor"]) in judged for one in found)
    good = good and all(0 <= int(one["start"]) < int(one["end"]) for one in found)
    return "evidence", good, f"{len(found)} passages"


@dataclass(frozen=True)
class Merged:
    """How a document's grade came about: opinions, their source as pool.csv names it, and the grade, if it has one."""

    opinions: list[int]
    source: str
    grade: int | None


def _sources(told: dict[str, Any], grades: dict[Pair, list[int]], decisions: dict[Pair, int]) -> dict[Pair, Merged]:
    """Decisions first, then the rule, and the lowest grade or nothing where that gives none."""
    merge = told["merge"]
    otherwise = told["scale"][0]["value"] if merge["missing"] == "lowest" else None
    found = {}
    for pair, given in grades.items():
        one = _one(given, merge["rule"]) if len(given) >= merge["opinions"] else None
        source = "few" if len(given) < merge["opinions"] else "tie" if one is None else "rule"
        found[pair] = Merged(given, source, otherwise if one is None else one)
    return found | {pair: Merged(grades.get(pair, []), "decision", grade) for pair, grade in decisions.items()}


def _opinions(told: dict[str, Any], counted: list[dict[str, str]], merged: dict[Pair, Merged]) -> Check:
    """Judgments, assessors, documents judged by two, those on which they differ, and where grades come from."""
    sources = Counter(one.source for one in merged.values())
    found = {
        "judgments": len(counted),
        "assessors": len({row["assessor"] for row in counted}),
        "doubly_judged": sum(len(one.opinions) > 1 for one in merged.values()),
        "differing": sum(len(set(one.opinions)) > 1 for one in merged.values()),
        "decided": sources["decision"],
        "few": sources["few"],
        "ties": sources["tie"],
    }
    wrong = [
        f"{name} is {value}, told is {told['counts'][name]}" for name, value in found.items() if told["counts"][name] != value
    ]
    words = (
        f"{found['judgments']} judgments of {found['assessors']} assessors, {found['doubly_judged']} documents judged by two"
    )
    return "opinions", not wrong, "; ".join([words, *wrong])


def _merged(told: dict[str, Any], merged: dict[Pair, Merged], qrels: dict[Pair, int]) -> Check:
    final = {pair: one.grade for pair, one in merged.items() if one.grade is not None}
    wrong = sum(qrels.get(pair) != final.get(pair) for pair in set(qrels) | set(final))
    words = f"rule {told['merge']['rule']} on {sum(len(one.opinions) for one in merged.values())} grades"
    return "merge", not wrong, words + (f"; {wrong} documents come out otherwise" if wrong else "")


def _pool(merged: dict[Pair, Merged], qrels: dict[Pair, int], files: dict[str, bytes]) -> Check:
    """Each pooled document's number of opinions, where its grade comes from, and the grade; nothing judged is missing."""
    rows = {(row["topic"], row["docid"]): row for row in _csv(files["pool.csv"])}
    nothing = Merged([], "none", None)
    wrong = [pair for pair in merged if pair not in rows]
    for pair, row in rows.items():
        one = merged.get(pair, nothing)
        expected = str(len(one.opinions)), one.source, str(qrels.get(pair, ""))
        wrong += [] if (row["opinions"], row["source"], row["grade"]) == expected else [pair]
    words = f"{len(rows)} documents"
    return "pool", not wrong, words + (f"; {len(wrong)} are told otherwise, such as {' '.join(wrong[0])}" if wrong else "")


def _one(given: list[int], rule: str) -> int | None:
    ordered = sorted(given)
    if rule == "majority":
        counts = Counter(given).most_common()
        return None if len(counts) > 1 and counts[0][1] == counts[1][1] else counts[0][0]
    place = {"min": 0, "max": -1, "median_low": (len(given) - 1) // 2, "median_high": len(given) // 2}
    return given[0] if rule == "first" else ordered[place[rule]]


def _agreement(told: dict[str, Any], counted: list[dict[str, str]], files: dict[str, bytes]) -> list[Check]:
    """Every coefficient and its n, on grades and from thresholds; and that release.json quotes them as they are."""
    report = json.loads(files["agreement.json"])
    units: dict[Pair, dict[str, int]] = defaultdict(dict)
    for row in counted:
        units[row["topic"], row["docid"]][row["assessor"]] = int(row["grade"])
    shared = {pair: unit for pair, unit in units.items() if len(unit) > 1}
    wrong, count = [], 0
    for view in report["views"]:
        levels, start = (report["levels"], None) if view["threshold"] is None else ([0, 1], view["threshold"])
        seen = {
            pair: {who: grade if start is None else int(grade >= start) for who, grade in unit.items()}
            for pair, unit in shared.items()
        }
        found = _figures(seen, levels)
        count += len(view["figures"])
        for key, one in view["figures"].items():
            n, value = found.get(key, (-1, None))
            if n != one["n"] or not _equal(value, one["value"]):
                wrong.append(f"{key} is {value} of {n}, told is {one['value']} of {one['n']}")
    wrong += [] if report["shared"] == len(shared) else [f"{len(shared)} documents are shared, told is {report['shared']}"]
    words = f"{count} figures over {len(shared)} documents that two or more judged"
    quoted = all(
        one["threshold"] == view["threshold"]
        and all(view["figures"].get(key) == figure for key, figure in one["figures"].items())
        for one, view in zip(told.get("agreement", []), report["views"], strict=False)
    )
    return [("agreement", not wrong, "; ".join([words, *wrong])), ("headline", quoted, "release.json quotes agreement.json")]


def _equal(one: float | None, other: float | None) -> bool:
    return one is other if one is None or other is None else abs(one - other) <= NEAR


def _figures(units: dict[Pair, dict[str, int]], levels: list[int]) -> dict[str, tuple[int, float | None]]:
    """Each coefficient with its n; those that do not fit the number of levels or assessors, too."""
    counts = [[list(unit.values()).count(level) for level in levels] for unit in units.values()]
    weights = {name: _weights(levels, power) for name, power in (("identity", 0), ("linear", 1), ("quadratic", 2))}
    fleiss = _beyond_chance(counts, weights["identity"], "fleiss")
    pairs = _pair_tables(units, levels)
    kappas = [kappa for kappa in (_cohen(table, weights["identity"]) for table in pairs) if kappa is not None]
    found = {
        "raw": _observed(counts, weights["identity"]),
        "positive": _specific(counts, len(levels) - 1),
        "negative": _specific(counts, 0),
        "pooled": fleiss,
        "fleiss": fleiss,
        "pairwise": sum(kappas) / len(kappas) if kappas else None,
        "ac1": _beyond_chance(counts, weights["identity"], "gwet"),
        "ac2_linear": _beyond_chance(counts, weights["linear"], "gwet"),
        "ac2_quadratic": _beyond_chance(counts, weights["quadratic"], "gwet"),
        "brennan_prediger": _beyond_chance(counts, weights["identity"], "uniform"),
    }
    found |= {f"alpha_{metric}": _alpha(counts, levels, metric) for metric in ("nominal", "ordinal", "interval")}
    for key, name in (("cohen", "identity"), ("linear", "linear"), ("quadratic", "quadratic")):
        found[key] = _cohen(pairs[0], weights[name]) if pairs else None
    number, overlap = _overlap(units)
    return {**{key: (len(units), value) for key, value in found.items()}, "overlap": (number, overlap)}


def _weights(levels: list[int], power: int) -> list[list[float]]:
    """Agreement of each two levels: 1 when equal, less the further apart; all or nothing with a power of 0."""
    width = max(levels[-1] - levels[0], 1)
    return [[float(a == b) if power == 0 else 1 - (abs(a - b) / width) ** power for b in levels] for a in levels]


def _observed(counts: list[list[int]], weights: list[list[float]]) -> float | None:
    """The mean share of a document's pairs of grades that agree."""
    shares = []
    for row in counts:
        size = sum(row)
        both = sum(a * b * weight for a, line in zip(row, weights, strict=True) for b, weight in zip(row, line, strict=True))
        shares.append((both - size) / (size * (size - 1)))
    return sum(shares) / len(shares) if shares else None


def _beyond_chance(counts: list[list[int]], weights: list[list[float]], chance: str) -> float | None:
    """(P(A) - P(E)) / (1 - P(E)), with Fleiss' chance (pooled marginals), Gwet's, or that of equal levels."""
    observed, k = _observed(counts, weights), range(len(weights))
    if observed is None:
        return None
    shares = [sum(row[level] / sum(row) for row in counts) / len(counts) for level in k]
    total = sum(map(sum, weights))
    expected = {
        "fleiss": sum(weights[c][d] * shares[c] * shares[d] for c in k for d in k),
        "gwet": total / (len(k) * (len(k) - 1)) * sum(share * (1 - share) for share in shares),
        "uniform": total / len(k) ** 2,
    }[chance]
    return (observed - expected) / (1 - expected) if 1 - expected > 1e-12 else None


def _specific(counts: list[list[int]], level: int) -> float | None:
    """Of those who chose a level, the share of fellow assessors who did, too."""
    below = sum(row[level] * (sum(row) - 1) for row in counts)
    return sum(row[level] * (row[level] - 1) for row in counts) / below if below else None


def _overlap(units: dict[Pair, dict[str, int]]) -> tuple[int, float | None]:
    """Relevant to all / relevant to any, of what all assessors of a topic judged; the mean over topics that have any."""
    people: dict[str, set[str]] = defaultdict(set)
    for (topic, _docno), unit in units.items():
        people[topic] |= set(unit)
    whole = [(topic, unit) for (topic, _docno), unit in units.items() if set(unit) == people[topic]]
    anyone = Counter(topic for topic, unit in whole if any(unit.values()))
    everyone = Counter(topic for topic, unit in whole if all(unit.values()))
    shares = [everyone[topic] / number for topic, number in anyone.items()]
    return len(whole), sum(shares) / len(shares) if shares else None


def _pair_tables(units: dict[Pair, dict[str, int]], levels: list[int]) -> list[list[list[int]]]:
    """For each two assessors who share a document, how often one gave the row's level and the other the column's."""
    tables: dict[Pair, list[list[int]]] = {}
    for unit in units.values():
        for one, other in combinations(sorted(unit), 2):
            table = tables.setdefault((one, other), [[0] * len(levels) for _ in levels])
            table[levels.index(unit[one])][levels.index(unit[other])] += 1
    return list(tables.values())


def _cohen(table: list[list[int]], weights: list[list[float]]) -> float | None:
    k, n = range(len(table)), sum(map(sum, table))
    row, column = [sum(table[c]) for c in k], [sum(table[c][d] for c in k) for d in k]
    expected = sum((1 - weights[c][d]) * row[c] * column[d] for c in k for d in k)
    observed = sum((1 - weights[c][d]) * table[c][d] for c in k for d in k) * n
    return 1 - observed / expected if expected > 1e-12 else None


def _alpha(counts: list[list[int]], levels: list[int], metric: str) -> float | None:
    k, sizes = range(len(levels)), [sum(row) for row in counts]
    both = [[0.0] * len(levels) for _ in k]
    for row, size in zip(counts, sizes, strict=True):
        for c in k:
            for d in k:
                both[c][d] += (row[c] * row[d] - (row[c] if c == d else 0)) / (size - 1)
    used = [sum(line) for line in both]

    def distance(c: int, d: int) -> float:
        if metric == "nominal":
            return float(c != d)
        if metric == "interval":
            return float((levels[c] - levels[d]) ** 2)
        low, high = min(c, d), max(c, d)
        return (sum(used[low : high + 1]) - (used[c] + used[d]) / 2) ** 2

    observed = sum(both[c][d] * distance(c, d) for c in k for d in k)
    expected = sum(used[c] * used[d] * distance(c, d) for c in k for d in k)
    return 1 - (sum(used) - 1) * observed / expected if expected > 0 else None


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
