"""A comparison as text for a terminal, and as a table for a paper."""

from evaluation.core.comparison import Comparison, Pairing
from evaluation.core.significance import Effect
from pooling.core.latex import escaped


def text(comparison: Comparison) -> str:
    """Systems by mean, then the pairs, with words below."""
    runs = [["RUN", comparison.measure, "JUDGED@10", "GROUPS"]]
    for one in sorted(comparison.systems, key=lambda system: -system.mean):
        runs.append([one.tag, f"{one.mean:.4f}", "–" if one.judged is None else f"{one.judged:.2f}", one.letters or "–"])
    adjusted = f"P {comparison.correction.upper()}" if comparison.correction else ""
    pairs = [["PAIR", "DIFFERENCE", "95 % INTERVAL", "CHANGE", "W/L/T", "G_Z", "P", *([adjusted] if adjusted else [])]]
    for pair in comparison.pairs:
        pairs.append([*_cells(pair), *([_p(pair.p_adjusted)] if adjusted else [])])
    told = f"{comparison.topics} topics, test: {comparison.test}" + (f", seed {comparison.seed}" if _random(comparison) else "")
    lines = [*_columns(runs), "", *_columns(pairs), "", told, *comparison.notes]
    return "\n".join(lines) + "\n"


def latex(comparison: Comparison) -> str:
    """A booktabs table of the systems by mean; letters join those that do not differ."""
    rows = [
        f"  {escaped(one.tag)} & {one.mean:.4f} & {'--' if one.judged is None else f'{one.judged:.2f}'} & {one.letters or '--'} \\\\"
        for one in sorted(comparison.systems, key=lambda system: -system.mean)
    ]
    told = f"% {comparison.topics} topics; runs that share a letter do not differ ({comparison.test}"
    told += f", {comparison.correction})" if comparison.correction else ")"
    return "\n".join(
        [
            told,
            r"\begin{tabular}{lrrl}",
            r"  \toprule",
            f"  Run & {escaped(comparison.measure)} & Judged@10 & Group \\\\",
            r"  \midrule",
            *rows,
            r"  \bottomrule",
            r"\end{tabular}",
            "",
        ]
    )


def _cells(pair: Pairing) -> list[str]:
    effect: Effect = pair.effect
    low, high = pair.interval
    return [
        f"{pair.first} – {pair.second}",
        f"{effect.mean:+.4f}",
        f"{low:+.4f} … {high:+.4f}",
        "–" if effect.relative is None else f"{effect.relative:+.1f} %",
        f"{effect.wins}/{effect.losses}/{effect.ties}",
        "–" if effect.g_z is None else f"{effect.g_z:+.2f}",
        _p(pair.p),
    ]


def _p(value: float | None) -> str:
    return "–" if value is None else f"{value:.4f}" if value >= 0.0001 else "<0.0001"


def _random(comparison: Comparison) -> bool:
    return comparison.test in ("randomization", "bootstrap", "randomized-tukey")


def _columns(rows: list[list[str]]) -> list[str]:
    """The first column to the left, all others to the right."""
    widths = [max(len(row[place]) for row in rows) for place in range(len(rows[0]))]
    return [
        "  ".join(
            cell.ljust(width) if place == 0 else cell.rjust(width)
            for place, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    ]
