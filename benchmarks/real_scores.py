"""Real runs and qrels through a site: every number of its pages against `assize eval` and trec_eval's own answers.

`python -m benchmarks.real_scores FOLDER…`: a folder holds topics*, qrels*.txt, runs/ and expected/, trec_eval's answers
as RUN.trec_eval. Each becomes a collection on a site of its own; its topics, runs and qrels are imported, scored, and
every page of scores is opened. Then qrels and run files are downloaded, scored by the command, and compared with the
leaderboard, the pages of all runs and of all topics, number by number. Ends with status 1 on any difference, or if a
warm page takes a second or more.
"""

import argparse
import contextlib
import html
import io
import re
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from benchmarks.own_site import ORGANIZER, Reader, own_site

LIMIT = 1.0
SHOWN = ("AP", "Rprec", "Bpref", "RR", "nDCG", "nDCG@10", "P@10", "R@100", "R@1000")
LEVELS = [f"iprec_at_recall_{level / 10:.2f}" for level in range(11)]
DEPTHS = [f"P_{depth}" for depth in (5, 10, 15, 20, 30, 100, 200, 500, 1000)]
COUNTS = ["num_ret", "num_rel", "num_rel_ret"]
OTHERWISE = ("iprec_at_recall_", "gm_map", "11pt_avg")  # trec_eval's recall levels are rounded, ours exact
Printed = dict[tuple[str, str], str]  # name and topic, or all: the value as it is printed


# A folder's files as a collection


def imported(folder: Path) -> None:
    from django.core.management import call_command

    from config.models import User
    from evaluation.services import planning
    from pooling.core.presets import GradeSpec
    from pooling.services import collections
    from tests import factories

    by = User.objects.filter(name=ORGANIZER).first() or factories.make_user(ORGANIZER)
    collection = factories.make_collection(by, folder.name)
    qrels = _one(folder, "qrels*.txt")
    top = max(int(line.split()[3]) for line in qrels.read_text().splitlines())
    scale = [GradeSpec(value, f"Grade {value}", key=str(value)) for value in range(top + 1)]
    collections.set_scale(collection, grades=scale, lenient_from=1, strict_from=min(2, top))
    planning.set_plan(collection, shown=list(SHOWN))
    quiet = {"stdout": io.StringIO(), "stderr": io.StringIO()}
    given = {"by": by.username, **quiet}
    call_command("import_topics", collection.slug, str(_one(folder, "topics*")), **given)
    call_command("import_run", collection.slug, *map(str, sorted((folder / "runs").iterdir())), **given)
    call_command("import_qrels", collection.slug, str(qrels), kind="release", **given)
    call_command("score", collection.slug, **quiet)


def _one(folder: Path, pattern: str) -> Path:
    found = [path for path in sorted(folder.glob(pattern)) if "original" not in path.name]
    if not found:
        raise SystemExit(f"Expected {pattern} in {folder}; found none.")
    return found[0]


# Pages


def paths(slug: str, tags: list[str], topics: list[str]) -> list[str]:
    here = f"/c/{slug}/"
    two, five = ("".join(f"&runs={tag}" for tag in tags[:count]) for count in (2, 5))
    pages = ["leaderboard/?", "leaderboard/?view=strict", f"scores/{tags[0]}/?", f"scores/{tags[0]}/?view=strict"]
    pages += [f"leaderboard/topics/{topics[0]}/?", f"compare/?{two}", f"compare/?{five}", "pool-report/?", "effect/?"]
    pages += ["releases/1/?", "data/?", "try/?", "scoring/?"]
    return [*(here + page for page in pages), "/measures/?"]


def opened(reader: Reader, slug: str, tags: list[str], topics: list[str]) -> bool:
    """Whether every warm page took less than a second."""
    good = True
    print(f"{'page':<68}{'cold':>8}{'warm':>8}")
    for path in paths(slug, tags, topics):
        cold, warm = reader.seconds(path), min(reader.seconds(path) for _ in range(2))
        good &= warm < LIMIT
        print(f"{path[:66]:<68}{cold:>8.2f}{warm:>8.2f}", flush=True)
    return good


# Numbers


class Checked:
    """Numbers that were compared, by what they were compared with, and those that differ."""

    def __init__(self) -> None:
        self.counts: Counter[str] = Counter()
        self.faults: list[str] = []

    def same(self, what: str, where: str, expected: str | None, found: str | None) -> None:
        self.counts[what] += 1
        if expected is None or found is None or expected.strip() != found.strip():
            self.faults.append(f"{where}: expected {expected}, found {found}")

    def tell(self) -> None:
        for what, count in self.counts.items():
            print(f"{what:<68}{count:>8,} numbers")
        print(f"{'that differ':<68}{len(self.faults):>8,}")
        print("".join(f"  {fault}\n" for fault in self.faults[:20]), end="")


def printed(text: str) -> Printed:
    lines = (line.split("\t") for line in text.splitlines())
    return {(name.strip(), topic): value.strip() for name, topic, value in lines}


def evaluated(qrels: bytes, run: bytes, names: list[str]) -> Printed:
    """What the command prints of the downloaded files."""
    from evaluation.on_files import eval as command

    asked = [part for name in names for part in ("-m", name)]
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "qrels").write_bytes(qrels)
        (Path(folder) / "run").write_bytes(run)
        target = io.StringIO()
        with contextlib.redirect_stdout(target):
            if command.main(["-q", "-c", *asked, f"{folder}/qrels", f"{folder}/run"]):
                raise SystemExit("assize eval refused what was downloaded.")
    return printed(target.getvalue())


def rows(page: str) -> Iterator[list[str]]:
    """Every row of every table, as the texts of its cells; what only readers of screens hear is left out."""
    plain = re.sub(r'<span class="(?:sr|badge[^"]*)"[^>]*>.*?</span>|<svg.*?</svg>', "", page, flags=re.S)
    for row in re.findall(r"<tr[^>]*>(.*?)</tr>", plain, re.S):
        cells = re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", row, re.S)
        yield [re.sub(r"\s+", " ", html.unescape(re.sub(r"<[^>]+>", "", cell))).strip() for cell in cells]


def measure_columns(page: str) -> dict[int, str]:
    """The measures of a table of runs by their places among its columns, under the names files have."""
    board = page[page.index('<table class="board">') :]
    heads = re.findall(r"<th [^>]*>.*?</th>", board[: board.index("</thead>")], re.S)
    found = {at: re.search(r'title="([^:"]+):', head) for at, head in enumerate(heads)}
    return {at: one[1] for at, one in found.items() if one}


def check_board(checked: Checked, page: str, answers: dict[str, Printed], topic: str, where: str) -> None:
    """A table of runs × measures: each cell as the command prints it."""
    from evaluation.core.registry import parse_measure

    columns = measure_columns(page)
    width = max(columns) + 1
    for row in rows(page):
        if len(row) == width and row[0].split(" ")[0] in answers:
            for at, name in columns.items():
                theirs = answers[row[0].split(" ")[0]].get((parse_measure(name).trec_eval, topic))
                checked.same(f"cells of {where}", f"{where} {topic}, {row[0]}, {name}", theirs, row[at].replace(",", ""))


def check_run(checked: Checked, reader: Reader, slug: str, tag: str, theirs: Printed) -> None:
    """TREC's page, and all topics by each measure that is shown."""
    from evaluation.core.registry import parse_measure

    page = reader.text(f"/c/{slug}/scores/{tag}/")
    found: dict[str, str] = {}
    for row in rows(page):
        if len(row) == 2:
            found.setdefault(row[0], row[1])
    told = {f"{level / 10:.2f}": name for level, name in enumerate(LEVELS)} | {name[2:]: name for name in DEPTHS}
    told |= {"Documents retrieved": "num_ret", "Relevant": "num_rel", "Relevant retrieved": "num_rel_ret"}
    told |= {"R-precision exact": "Rprec"}
    told["MAP average precision over all relevant documents, non-interpolated"] = "map"
    for label, name in told.items():
        own = found.get(label, "").replace(",", "")
        checked.same("figures of TREC's page", f"{tag}, {label}", theirs.get((name, "all")), own)
    for name in SHOWN:
        measured = reader.text(f"/c/{slug}/scores/{tag}/?measure={name}")
        for row in rows(measured):
            if len(row) == 10 and (COUNTS[0], row[0]) in theirs:
                value = theirs.get((parse_measure(name).trec_eval, row[0]))
                checked.same("values by topic of runs' pages", f"{tag}, {row[0]}, {name}", value, row[2])
                for count, at in zip(COUNTS, (9, 7, 8), strict=True):
                    own = row[at].replace(",", "")
                    checked.same("counts by topic of runs' pages", f"{tag}, {row[0]}, {count}", theirs[count, row[0]], own)


def check_trec_eval(checked: Checked, expected: Path, tag: str, text: str) -> None:
    """Every line of trec_eval's own answer that the download holds too."""
    own = printed(text)
    for (name, topic), value in printed(expected.read_text()).items():
        if (name, topic) in own and not name.startswith(OTHERWISE) and name != "runid":
            checked.same("lines of trec_eval's own answers", f"{tag}, {name}, {topic}", value, own[name, topic])


def numbers(reader: Reader, folder: Path, slug: str, tags: list[str], topics: list[str]) -> Checked:
    from evaluation.core.registry import parse_measure

    checked = Checked()
    here = f"/c/{slug}/"
    qrels = reader.data(f"{here}releases/1/qrels/")
    names = [parse_measure(name).trec_eval for name in (*SHOWN, "Judged@10")]
    names = list(dict.fromkeys([*names, *COUNTS, *LEVELS, *DEPTHS, "Rprec"]))
    answers = {}
    for tag in tags:
        answers[tag] = evaluated(qrels, reader.data(f"{here}runs/{tag}/file/"), names)
        check_run(checked, reader, slug, tag, answers[tag])
        expected = [path for path in (folder / "expected").iterdir() if path.name.startswith(f"{tag}.")]
        for path in expected:
            check_trec_eval(checked, path, tag, reader.text(f"{here}scores/{tag}/trec_eval/"))
    check_board(checked, reader.text(f"{here}leaderboard/"), answers, "all", "the leaderboard")
    for topic in topics:
        check_board(checked, reader.text(f"{here}leaderboard/topics/{topic}/"), answers, topic, "topics' pages")
    return checked


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.real_scores", description=__doc__)
    parser.add_argument("folders", nargs="+", type=Path, metavar="FOLDER")
    options = parser.parse_args()
    folders = [folder.resolve() for folder in options.folders]

    def make() -> None:
        for folder in folders:
            imported(folder)

    good = True
    with own_site(None, make):
        from pooling.models import Collection

        reader = Reader()
        for folder in folders:
            collection = Collection.objects.get(name=folder.name)
            tags = list(collection.runs.order_by("tag").values_list("tag", flat=True))
            topics = [topic.decode() for topic in _topics(collection)]
            print(f"{collection.name}: {len(tags)} runs × {len(topics)} topics")
            good &= opened(reader, collection.slug, tags, topics)
            checked = numbers(reader, folder, collection.slug, tags, topics)
            checked.tell()
            good &= not checked.faults and bool(checked.counts["lines of trec_eval's own answers"])
    sys.exit(not good)


def _topics(collection: object) -> list[bytes]:
    from evaluation import standings

    found: list[bytes] = standings.standing(collection, "1").topics.tolist()  # type: ignore[arg-type]
    return found


if __name__ == "__main__":
    main()
