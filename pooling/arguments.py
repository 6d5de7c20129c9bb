"""Arguments that commands on files and in a site share: of strategies, made from what they declare, and of baseline runs.
Without Django: see on_files."""

import argparse
from typing import Any

from pooling.core import baseline
from pooling.core.strategies import COMMON, STRATEGIES, Parameter, clean


def add_strategy(parser: argparse.ArgumentParser) -> None:
    """--strategy and every parameter that some strategy has."""
    names = "; ".join(f"{name}: {one.label.lower()}" for name, one in STRATEGIES.items())
    parser.add_argument("--strategy", choices=STRATEGIES, default="depth", help=f"{names}; depth unless given")
    for name, declared in _parameters().items():
        parser.add_argument(_option(name), **_argument(declared))


def _parameters() -> dict[str, dict[str, Parameter]]:
    """Each parameter's name, with what the strategies that have it declare; those that all have come last."""
    found: dict[str, dict[str, Parameter]] = {}
    for strategy, one in STRATEGIES.items():
        for parameter in one.all_parameters:
            found.setdefault(parameter.name, {})[strategy] = parameter
    common = [parameter.name for parameter in COMMON]
    return {name: found[name] for name in [*(name for name in found if name not in common), *common]}


def _argument(declared: dict[str, Parameter]) -> dict[str, Any]:
    parameter = next(iter(declared.values()))
    defaults = {one.default for one in declared.values()}
    default = f" ({parameter.default} unless given)" if len(defaults) == 1 and None not in defaults else ""
    whose = "" if len(declared) == len(STRATEGIES) else f"{'/'.join(declared)}: "
    words = f"{whose}{parameter.label.lower()}. {parameter.help}{default}".replace("%", "%%")
    if parameter.kind == "choice":
        return {"choices": [value for value, _ in parameter.choices], "help": words}
    kinds = {"int": int, "float": float, "text": str}
    return {"type": kinds[parameter.kind], "metavar": "TEXT" if parameter.kind == "text" else "N", "help": words}


def _option(name: str) -> str:
    return f"--{name.replace('_', '-')}"


def given_values(options: dict[str, Any]) -> dict[str, Any]:
    """The parameters that were given, by their own names."""
    names = _parameters().keys()
    return {name: value for name, value in options.items() if name in names and value is not None}


def strategy_of(options: dict[str, Any]) -> tuple[str, dict[str, Any]]:
    """The strategy and its parameters, checked; a ValueError says what is wrong."""
    return options["strategy"], clean(options["strategy"], given_values(options))


def add_model(made: argparse.ArgumentParser) -> None:
    """The options of a baseline run; the command in a site has them, too."""
    made.add_argument("--model", choices=baseline.MODELS, default="bm25", help="bm25 unless given")
    made.add_argument("--k1", type=float, default=1.2, metavar="N", help="bm25: 0 is the binary model; 1.2 unless given")
    made.add_argument("--b", type=float, default=0.75, metavar="N", help="bm25: heed of lengths, 0 to 1; 0.75 unless given")
    made.add_argument("--k3", type=float, metavar="N", help="bm25: how often a long topic has a term counts; not unless given")
    made.add_argument(
        "--idf", choices=baseline.IDFS, default="floor", help="bm25: floor (never negative) unless given, or seed"
    )
    made.add_argument("--fields", choices=baseline.FIELDS, default="title", help="of the topics; title unless given")
    made.add_argument(
        "--feedback", type=int, default=0, metavar="N", help="take the first N documents as relevant and search again; 0"
    )
    made.add_argument("--depth", type=int, default=1000, metavar="N", help="documents of each topic at most; 1000")
    made.add_argument("--tag", default="", metavar="TAG", help="of the run; assize-bm25 or the like unless given")


def model_of(options: dict[str, object]) -> baseline.Model:
    """The model that was asked for; a ValueError says what is out of range."""
    return baseline.Model(**{name: options[name] for name in baseline.Model.__dataclass_fields__})  # type: ignore[arg-type]
