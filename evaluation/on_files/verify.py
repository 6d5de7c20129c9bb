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
from pathlib import Path
from typing import Any

HELP = "Check the archive of a release: sums, counts, merged grades, agreement; no site is needed."
NEAR = 1e-9
Pair = tuple[str, str]


def parser() -> argparse.ArgumentParser:
    made = argparse.ArgumentParser("assize verify", description=HELP)
    made.add_argument("file", nargs="?", help="archive or unpacked folder of a release; the folder of this script unless given")
    made.add_argument("--json", action="store_true", help="print one JSON document instead of lines")
    return made


def main(argv: list[str]) -> int:
    options = parser().parse_args(argv)
    try:
        files = read(Path(options.file) if options.file else Path(__file__).resolve().parent)
        checks = verify(files)
    except (OSError, ValueError, KeyError, zipfile.BadZipFile) as error:
        checks = [("archive", False, f"cannot be read: {error}")]
    good = all(passed for _name, passed, _words in checks)
    if options.json:
        rows = [{"check": name, "ok": passed, "found": words} for name, passed, words in checks]
        sys.stdout.write(json.dumps({"ok": good, "checks": rows}, indent=2) + "\n")
    else:
        for name, passed, words in checks:
            sys.stdout.write(f"{'ok   ' if passed else 'WRONG'} {name}: {words}\n")
    return 0 if good else 1


def read(path: Path) -> dict[str, bytes]:
    """The files of an archive or folder, without the folder's own name."""
    if path.is_dir():
        found = {str(one.relative_to(path)).replace("\\", "/"): one.read_bytes() for one in path.rglob("*") if one.is_file()}
        return {name: data for name, data in found.items() if "__pycache__" not in name}
    with zipfile.ZipFile(path) as archive:
        return {name.split("/", 1)[-1]: archive.read(name) for name in archive.namelist() if not name.endswith("/")}


def verify(files: dict[str, bytes]) -> list[tuple[str, bool, str]]:
    checks = [_sums(files)]
    if "release.json" not in files:
        return checks if "scores.csv" in files else [*checks, ("release", False, "there is no release.json")]
    told = json.loads(files["release.json"])
    qrels = _qrels(files["qrels.txt"])
    checks += [_counts(told, qrels), _digest(told, files)]
    checks += [_binary(told, qrels, files, view) for view in ("lenient", "strict")]
    if "judgments.csv" in files:
        if "judgments_sha256" in told:  # releases of before it was told lack it
            found = judgments_digest(files)
            checks.append(("judgments", found == told["judgments_sha256"], f"SHA-256 {found}"))
        rows = list(csv.DictReader(io.StringIO(files["judgments.csv"].decode(), newline="")))
        grades = _grades(rows)
        checks += [_merged(told, grades, qrels, files), _agreement(told, rows, files), _evidence(rows, files)]
    return checks


def _lines(data: bytes) -> list[str]:
    """Only a line feed ends a line: texts and document numbers may hold what else Python takes for an end."""
    return data.decode().removesuffix("\n").split("\n") if data else []


def _sums(files: dict[str, bytes]) -> tuple[str, bool, str]:
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


def _counts(told: dict[str, Any], qrels: dict[Pair, int]) -> tuple[str, bool, str]:
    grades = {str(grade): count for grade, count in sorted(Counter(qrels.values()).items())}
    found = {"items": len(qrels), "topics": len({topic for topic, _docno in qrels}), "grades": grades}
    good = all(told["counts"][name] == value for name, value in found.items())
    return "counts", good, f"{found['items']} documents of {found['topics']} topics, grades {grades}"


def _digest(told: dict[str, Any], files: dict[str, bytes]) -> tuple[str, bool, str]:
    found = hashlib.sha256(files["qrels.txt"]).hexdigest()
    return "qrels", found == told["qrels_sha256"], f"SHA-256 {found}"


JUDGED = ("judgments.csv", "evidence.csv", "decisions.jsonl")


def judgments_digest(files: dict[str, bytes]) -> str:
    """Of all that was judged and decided: the SHA-256 of the files' own, in this order."""
    each = [hashlib.sha256(files[name]).hexdigest() for name in JUDGED]
    return hashlib.sha256("\n".join(each).encode()).hexdigest()


def _binary(told: dict[str, Any], qrels: dict[Pair, int], files: dict[str, bytes], view: str) -> tuple[str, bool, str]:
    start = told["counts"][f"{view}_from"]
    expected = {pair: int(grade >= start) for pair, grade in qrels.items() if grade >= 0}
    good = _qrels(files[f"qrels-{view}.txt"]) == expected
    return f"{view} qrels", good, f"{sum(expected.values())} relevant from grade {start}"


def _grades(rows: list[dict[str, str]]) -> dict[Pair, list[int]]:
    """The grades of each document, that of the primary assessor first."""
    found: dict[Pair, list[int]] = defaultdict(list)
    for row in rows:
        if row["status"] == "grade":
            found[row["topic"], row["docid"]].append(int(row["grade"]))
    return found


def _evidence(rows: list[dict[str, str]], files: dict[str, bytes]) -> tuple[str, bool, str]:
    """Each passage is of a document that its assessor judged, and begins before it ends."""
    judged = {(row["topic"], row["docid"], row["assessor"]) for row in rows}
    found = list(csv.DictReader(io.StringIO(files["evidence.csv"].decode(), newline="")))
    good = all((one["topic"], one["docid"], one["assessor"]) in judged for one in found)
    good = good and all(0 <= int(one["start"]) < int(one["end"]) for one in found)
    return "evidence", good, f"{len(found)} passages"


def _merged(
    told: dict[str, Any], grades: dict[Pair, list[int]], qrels: dict[Pair, int], files: dict[str, bytes]
) -> tuple[str, bool, str]:
    """Decisions first, then the rule, and the lowest grade or nothing where that gives none."""
    merge, lowest = told["merge"], told["scale"][0]["value"]
    final: dict[Pair, int] = {}
    for pair, given in grades.items():
        one = _one(given, merge["rule"]) if len(given) >= merge["opinions"] else None
        if one is None and merge["missing"] == "lowest":
            one = lowest
        if one is not None:
            final[pair] = one
    for line in _lines(files["decisions.jsonl"]):
        row = json.loads(line)
        final[row["topic"], row["docno"]] = row["grade"]
    wrong = sum(qrels.get(pair) != final.get(pair) for pair in set(qrels) | set(final))
    return (
        "merge",
        not wrong,
        f"rule {merge['rule']} on {sum(map(len, grades.values()))} grades"
        + (f"; {wrong} documents come out otherwise" if wrong else ""),
    )


def _one(given: list[int], rule: str) -> int | None:
    ordered = sorted(given)
    if rule == "majority":
        counts = Counter(given).most_common()
        return None if len(counts) > 1 and counts[0][1] == counts[1][1] else counts[0][0]
    place = {"min": 0, "max": -1, "median_low": (len(given) - 1) // 2, "median_high": len(given) // 2}
    return given[0] if rule == "first" else ordered[place[rule]]


def _agreement(told: dict[str, Any], rows: list[dict[str, str]], files: dict[str, bytes]) -> tuple[str, bool, str]:
    """Raw agreement, kappa with pooled marginals (Fleiss), alpha, and Cohen's kappa of two, on grades and from thresholds."""
    report = json.loads(files["agreement.json"])
    units: dict[Pair, dict[str, int]] = defaultdict(dict)
    for row in rows:
        if row["status"] == "grade":
            units[row["topic"], row["docid"]][row["assessor"]] = int(row["grade"])
    shared = [unit for unit in units.values() if len(unit) > 1]
    wrong, count = [], 0
    for view in report["views"]:
        levels = report["levels"] if view["threshold"] is None else [0, 1]
        seen = [
            {who: grade if view["threshold"] is None else int(grade >= view["threshold"]) for who, grade in unit.items()}
            for unit in shared
        ]
        for key, value in _figures(seen, levels).items():
            if key in view["figures"]:
                count += 1
                expected = view["figures"][key]["value"]
                if (value is None) != (expected is None) or (value is not None and abs(value - expected) > NEAR):
                    wrong.append(f"{key} is {value}, told is {expected}")
    words = f"{count} figures over {len(shared)} documents that two or more judged"
    return "agreement", not wrong, "; ".join([words, *wrong])


def _figures(units: list[dict[str, int]], levels: list[int]) -> dict[str, float | None]:
    if not units:
        return {}
    counts = [[sum(grade == level for grade in unit.values()) for level in levels] for unit in units]
    sizes = [sum(row) for row in counts]
    equal = [sum(n * (n - 1) for n in row) / (size * (size - 1)) for row, size in zip(counts, sizes, strict=True)]
    raw = sum(equal) / len(equal)
    shares = [sum(row[k] / size for row, size in zip(counts, sizes, strict=True)) / len(units) for k in range(len(levels))]
    chance = sum(share * share for share in shares)
    kappa = (raw - chance) / (1 - chance) if 1 - chance > 1e-12 else None
    found: dict[str, float | None] = {"raw": raw, "pooled": kappa, "fleiss": kappa}
    for metric in ("nominal", "ordinal", "interval"):
        found[f"alpha_{metric}"] = _alpha(counts, sizes, levels, metric)
    people = sorted({who for unit in units for who in unit})
    if len(people) == 2:
        found["cohen"] = _cohen([(unit[people[0]], unit[people[1]]) for unit in units])
    return found


def _alpha(counts: list[list[int]], sizes: list[int], levels: list[int], metric: str) -> float | None:
    k = range(len(levels))
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


def _cohen(pairs: list[tuple[int, int]]) -> float | None:
    first, second = Counter(a for a, _ in pairs), Counter(b for _, b in pairs)
    n = len(pairs)
    chance = sum(first[level] * second[level] for level in first) / n**2
    return (sum(a == b for a, b in pairs) / n - chance) / (1 - chance) if 1 - chance > 1e-12 else None


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
