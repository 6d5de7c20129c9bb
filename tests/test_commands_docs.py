"""docs/commands.md has a section for each command of ours, subcommands included, with each option and an example."""

import argparse
import re
from collections.abc import Iterator
from importlib import import_module

import pytest
from django.conf import settings
from django.core.management import load_command_class

from config import cli

DOCS = (settings.BASE_DIR / "docs" / "commands.md").read_text(encoding="utf-8")
POOLING = (settings.BASE_DIR / "docs" / "pooling.md").read_text(encoding="utf-8")
SECTIONS = dict(re.findall(r"^### assize ([a-z -]+)\n(.*?)(?=^##|\Z)", DOCS, re.MULTILINE | re.DOTALL))
OF_DJANGO = {
    *("--version", "--verbosity", "--settings", "--pythonpath", "--traceback"),
    *("--no-color", "--force-color", "--skip-checks", "--help", "-h", "-v"),
}


def own_commands() -> Iterator[tuple[str, argparse.ArgumentParser]]:
    for app in cli.GROUPS:
        for name in cli.own_commands(app):
            parser = load_command_class(app, name).create_parser("assize", name)
            shown = name.replace("_", "-")
            acts = [action for action in parser._actions if isinstance(action, argparse._SubParsersAction)]
            if not acts:
                yield shown, parser
            for action in acts:
                yield from ((f"{shown} {act}", subparser) for act, subparser in action.choices.items())
    for name, module in cli.file_commands().items():
        yield name.replace("_", "-"), import_module(module).parser()


COMMANDS = dict(own_commands())


def test_every_section_is_a_command() -> None:
    assert sorted(SECTIONS) == sorted(COMMANDS)


@pytest.mark.parametrize("name", COMMANDS)
def test_command_is_documented_with_its_arguments(name: str) -> None:
    section = SECTIONS.get(name, "")
    assert re.search(rf"^```\n(.*\| )?assize {name}\b", section, re.MULTILINE), f"{name} has no section with an example"
    for action in COMMANDS[name]._actions:
        options = [option for option in action.option_strings if option not in OF_DJANGO]
        shown = options if action.option_strings else [action.dest.upper()]
        for word in shown:
            told = f"`{word}" in section
            if "pooling.md#strategies" in section:  # its table has the parameters of each strategy
                told |= f"`{word.removeprefix('--').replace('-', '_')}`" in POOLING
            assert told, f"{word} is missing in the section of {name}"
