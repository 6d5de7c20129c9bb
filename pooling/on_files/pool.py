"""`assize pool`: which documents to judge, from run files alone."""

import argparse
import hashlib
import json
import sys
import zlib
from typing import Any

import numpy as np

from config.arguments import Parser
from pooling.arguments import add_strategy, strategy_of
from pooling.core import planning, strategies
from pooling.core.adaptive import TopicRanks, simulate
from pooling.core.matrix import RankMatrix
from pooling.core.qrels import read_qrels
from pooling.core.rankings import Rankings
from pooling.core.runs import read_run
from pooling.core.strategies import STRATEGIES
from pooling.core.strategy import Sample
from pooling.on_files._reading import Stop, read_bytes, say, tell, unpack, unpacked

HELP = "Pool run files: the documents to judge, one line of topic and docno for each."


def parser() -> argparse.ArgumentParser:
    made = Parser("assize pool", description=HELP)
    made.add_argument("runs", nargs="+", help="run files, packed or not")
    add_strategy(made)
    made.add_argument("--groups", metavar="FILE", help="lines of tag, group and perhaps priority, for --per-group")
    made.add_argument("--qrels", metavar="FILE", help="grades that an adaptive strategy is told, document by document")
    made.add_argument("--rel", type=int, default=1, metavar="GRADE", help="relevant from this grade on; 1")
    made.add_argument("--seed", type=int, default=0, metavar="N", help="of what is drawn by chance; 0")
    made.add_argument("--sizes", action="store_true", help="print the size of the pool of every depth up to --depth instead")
    made.add_argument("--json", action="store_true", help="print one JSON document: parameters, runs, contributions, items")
    return made


def main(argv: list[str]) -> int:
    made = parser()
    options = made.parse_args(argv)
    try:
        name, values = strategy_of(vars(options))
    except ValueError as error:
        made.error(str(error))
    if options.sizes and name != "depth":
        made.error("--sizes is of the strategy depth.")
    if STRATEGIES[name].kind == "adaptive" and options.qrels is None:
        made.error(f"{name} chooses by the judgments so far: expected them by --qrels FILE.")
    if values.get("per_group") is not None and options.groups is None:
        made.error("--per-group is of groups: expected them by --groups FILE.")
    if name == "cal":
        made.error("cal reads the documents themselves: draw it in a site, where they are.")
    try:
        _pool(options, name, values)
    except Stop as stop:
        say(f"Error: {stop}")
        return 1
    return 0


def _pool(options: argparse.Namespace, name: str, values: dict[str, object]) -> None:
    digests, runs = zip(*(_read(file) for file in options.runs), strict=True)
    tags = [run.tag for run in runs]
    for tag in tags:
        if tags.count(tag) > 1:
            raise Stop(f"Two runs have the tag {tag}; expected each once.")
    groups, priorities = _groups(options.groups, tags)
    per_group = values.get("per_group")
    chosen = strategies.choose_runs(groups, priorities, per_group if isinstance(per_group, int) else None)
    matrix = RankMatrix.build((runs[i] for i in chosen), strategies.reach(name, values), strategies.rank_ties(values))
    if options.sizes:
        depths = range(1, int(str(values["depth"])) + 1)
        totals = planning.pool_sizes(matrix, depths, values).totals.tolist()
        rows = [{"depth": depth, "items": items} for depth, items in zip(depths, totals, strict=True)]
        return _print(rows if options.json else "".join(f"{row['depth']} {row['items']}\n" for row in rows))
    if options.qrels is not None and STRATEGIES[name].kind == "adaptive":
        return _print(_adaptive(options, name, values, matrix))
    found = strategies.choose(matrix, name, values, seed=options.seed)
    pool = planning.pool_of(found)
    pairs = zip(pool.topics.tolist(), pool.docnos.tolist(), strict=True)
    if not options.json:
        return _print("".join(f"{topic.decode()} {docno.decode()}\n" for topic, docno in pairs))
    gave = planning.contributions(found, [groups[i] for i in chosen])
    counts = (gave.contributed, gave.unique, gave.group_unique, gave.group_pooled)
    used = [
        {
            "tag": tags[i],
            "group": groups[i],
            "sha256": digests[i],
            "pooled": n,
            "unique": u,
            "group_unique": g,
            "group_pooled": p,
        }
        for i, n, u, g, p in zip(chosen, *(column.tolist() for column in counts), strict=True)
    ]
    return _print(
        {
            "strategy": name,
            "parameters": values,
            "runs": used,
            "groups": planning.by_group(used),
            "items": [
                {"topic": topic.decode(), "docno": docno.decode(), "best_rank": rank, "runs": count}
                for (topic, docno), rank, count in zip(pairs, pool.best_ranks.tolist(), pool.runs.tolist(), strict=True)
            ],
            **({"seed": options.seed} if found.sample or values["ties"] == "random" else {}),
            **({"sample": _sample(found, found.sample)} if found.sample else {}),
        }
    )


def _sample(found: strategies.Chosen, sample: Sample) -> list[dict[str, object]]:
    """All that could have been drawn, with stratum and probability: what files of sampled qrels are made of."""
    matrix = found.matrix
    drawn = np.isin(sample.items, found.items).tolist()
    topics, docnos = matrix.topics[matrix.codes[sample.items]].tolist(), matrix.docnos[sample.items].tolist()
    rows = zip(topics, docnos, sample.strata.tolist(), sample.inclusion.tolist(), drawn, strict=True)
    return [
        {"topic": topic.decode(), "docno": docno.decode(), "stratum": stratum, "inclusion": chance, "drawn": taken}
        for topic, docno, stratum, chance, taken in rows
    ]


def _adaptive(options: argparse.Namespace, name: str, values: dict[str, Any], matrix: RankMatrix) -> object:
    """The order in which documents would be judged if an assessor gave these grades; without one, not relevant."""
    data = unpack(options.qrels)
    columns, report = read_qrels(data)
    if columns is None:
        tell(options.qrels, report)
        raise Stop(f"{options.qrels} cannot be read.")
    items = matrix.find(columns.topics, columns.docnos)
    relevant = np.zeros(len(matrix) + 1, bool)
    relevant[items[columns.grades >= options.rel]] = True
    rows: list[dict[str, object]] = []
    for topic in np.sort(matrix.topics).tolist():
        ranks = TopicRanks.of(matrix, topic)
        seed = [options.seed, zlib.crc32(topic)]
        order = simulate(ranks, STRATEGIES[name].pick, values, relevant[ranks.items], int(values["budget"]), seed)
        for pick, outcome in zip(order.picks, order.history.outcomes.tolist(), strict=True):
            run = matrix.tags[pick.run] if pick.run >= 0 else ""
            docno = ranks.docnos[pick.doc].decode()
            rows.append({"topic": topic.decode(), "docno": docno, "run": run, "why": pick.why, "relevant": bool(outcome)})
    if options.json:
        return {"strategy": name, "parameters": values, "seed": options.seed, "items": rows}
    return "".join(f"{row['topic']} {row['docno']}\n" for row in rows)


def _print(result: object) -> None:
    sys.stdout.write(result if isinstance(result, str) else json.dumps(result, indent=2, ensure_ascii=False) + "\n")


def _read(name: str) -> tuple[str, Rankings]:
    raw = read_bytes(name)
    rankings, _, report = read_run(unpacked(name, raw), max_per_topic=sys.maxsize)
    if rankings is None:
        tell(name, report)
        raise Stop(f"{name} cannot be pooled.")
    return hashlib.sha256(raw).hexdigest(), rankings


def _groups(name: str | None, tags: list[str]) -> tuple[list[str], list[int]]:
    found: dict[str, tuple[str, int]] = {}
    lines = unpack(name).decode("utf-8", "replace").split("\n") if name else []
    for number, line in enumerate(lines, 1):
        fields = line.split()
        if not fields or fields[0].startswith("#"):
            continue
        if len(fields) not in (2, 3) or (len(fields) == 3 and not fields[2].isdecimal()):
            raise Stop(f"{name}:{number}: expected tag, group and perhaps priority; found “{line.strip()[:80]}”.")
        found[fields[0]] = fields[1], int(fields[2]) if len(fields) == 3 else 1
    if name and not found.keys() & set(tags):
        raise Stop(f"{name}: expected a line of tag and group for the runs {', '.join(tags)}; found none of them.")
    return [found.get(tag, ("", 1))[0] for tag in tags], [found.get(tag, ("", 1))[1] for tag in tags]
