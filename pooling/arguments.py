"""Arguments of a shell command that draws a pool, made from what the strategies declare. Without Django: see on_files."""

import argparse
from typing import Any

from pooling.core.strategies import COMMON, STRATEGIES, Parameter, clean


def add_strategy(parser: argparse.ArgumentParser) -> None:
    """--strategy and every parameter that some strategy has."""
    names = "; ".join(f"{name}: {one.label.lower()}" for name, one in STRATEGIES.items())
    parser.add_argument("--strategy", choices=STRATEGIES, default="depth", help=f"{names}; depth unless given")
    for parameter, strategies in _parameters().items():
        parser.add_argument(_option(parameter.name), **_argument(parameter, strategies))


def _parameters() -> dict[Parameter, list[str]]:
    """Each parameter with the strategies that have it; those that all have come last."""
    found: dict[Parameter, list[str]] = {}
    for name, one in STRATEGIES.items():
        for parameter in one.parameters:
            found.setdefault(parameter, []).append(name)
    return found | {parameter: [] for parameter in COMMON}


def _argument(parameter: Parameter, strategies: list[str]) -> dict[str, Any]:
    default = "" if parameter.default is None else f" ({parameter.default} unless given)"
    words = f"{'/'.join(strategies) + ': ' if strategies else ''}{parameter.label.lower()}. {parameter.help}{default}"
    if parameter.kind == "choice":
        return {"choices": [value for value, _ in parameter.choices], "help": words}
    return {"type": int if parameter.kind == "int" else float, "metavar": "N", "help": words}


def _option(name: str) -> str:
    return f"--{name.replace('_', '-')}"


def given_values(options: dict[str, Any]) -> dict[str, Any]:
    """The parameters that were given, by their own names."""
    names = {parameter.name for parameter in _parameters()}
    return {name: value for name, value in options.items() if name in names and value is not None}


def strategy_of(options: dict[str, Any]) -> tuple[str, dict[str, Any]]:
    """The strategy and its parameters, checked; a ValueError says what is wrong."""
    return options["strategy"], clean(options["strategy"], given_values(options))
