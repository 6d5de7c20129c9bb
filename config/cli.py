"""The console script `assize`: manage.py with a friendlier face. Its list of commands needs no Django and no database."""

import ast
import os
import sys
from importlib import import_module
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
GROUPS = {"config": "The site", "pooling": "Collections", "assess": "Judging", "evaluation": "Scores"}
ON_FILES = "Files alone, no site needed"
MAKE_SITES = {"up", "demo", "restore", "work"}  # the other commands want one that is there


def main() -> int:
    try:
        try:
            return _run(sys.argv)
        finally:
            sys.stdout.flush()  # here, where a closed pipe can still be caught
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # or the interpreter complains at its end
        return 141
    except KeyboardInterrupt:
        print(file=sys.stderr)
        return 130


def _run(argv: list[str]) -> int:
    if argv[1:] in ([], ["help"], ["-h"], ["--help"]):
        print(overview())
    elif argv[1:] in (["--version"], ["version"]):
        from importlib import metadata  # late: it loads a good part of the library

        print(f"assize {metadata.version('assize')}")
    else:
        # Options keep their hyphens, the command's name loses them; the second word is the name after `help`.
        name = 2 if argv[1] == "help" and len(argv) > 2 and not argv[2].startswith("-") else 1
        argv = [*argv[:name], argv[name] if argv[name].startswith("-") else argv[name].replace("-", "_"), *argv[name + 1 :]]
        os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
        if module := file_commands().get(argv[1]):  # without Django: a command on small files must not wait for it
            return int(import_module(module).main(argv[2:]))
        if argv[1] == "demo":
            _leave_for_demo(argv[2:])
        if argv[1:] in (["up"], ["up", "--logs"]):  # without Django at first: it is loaded beside the web server
            return _up(echo_logs="--logs" in argv)
        if (missing := _missing_site(argv)) is not None:
            print(f"Error: There is no site in {missing}; set ASSIZE_DATA or run `assize up`.", file=sys.stderr)
            return 1
        _django(argv)
    return 0


def _missing_site(argv: list[str]) -> Path | None:
    """The data folder, where a command of ours finds no database in it. Asked before the settings are loaded: those make
    a folder with a key."""
    data = Path(os.environ.get("ASSIZE_DATA", "").strip() or ROOT / "data").absolute()
    ours = any((ROOT / app / "management" / "commands" / f"{argv[1]}.py").exists() for app in GROUPS)
    if not ours or argv[1] in MAKE_SITES or {"-h", "--help"} & set(argv) or "config.settings" in sys.modules:
        return None
    there = os.environ.get("ASSIZE_DATABASE_URL", "").strip() or (data / "assize.sqlite3").exists()
    return None if there else data


def _up(*, echo_logs: bool) -> int:
    from config import prepare, up

    try:
        up.main(echo_logs=echo_logs)
    except prepare.CannotStart as error:
        print(f"Error: {error}", file=sys.stderr)
        return 1
    return 0


def _leave_for_demo(arguments: list[str]) -> None:
    """From here on the environment is that of the demo's own site."""
    from config import demo

    wanted = demo.environment(os.environ, arguments, ROOT)
    for name in os.environ.keys() - wanted.keys():
        del os.environ[name]
    os.environ.update(wanted)


def _django(argv: list[str]) -> None:
    from difflib import get_close_matches

    from django.core.management import BaseCommand, ManagementUtility

    class Utility(ManagementUtility):
        def fetch_command(self, subcommand: str) -> BaseCommand:
            try:
                return super().fetch_command(subcommand)
            except SystemExit:  # unknown: Django has said so, with status 1; here that is bad data, and this is usage
                if alike := get_close_matches(subcommand, file_commands()):
                    sys.stderr.write(f"There is also {alike[0]}, on files alone.\n")
                raise SystemExit(2) from None

    Utility(argv).execute()


def file_commands() -> dict[str, str]:
    """The commands that work on files alone, each with its module: `APP/on_files/NAME.py` with `HELP`, `parser` and `main`."""
    return {
        path.stem: f"{app}.on_files.{path.stem}"
        for app in GROUPS
        for path in sorted((ROOT / app / "on_files").glob("[!_]*.py"))
    }


def file_command_help(module: str) -> str:
    """Its `HELP`, read from the source."""
    tree = ast.parse((ROOT / Path(*module.split("."))).with_suffix(".py").read_text(encoding="utf-8"))
    for node in tree.body:
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Constant):
            if [target.id for target in node.targets if isinstance(target, ast.Name)] == ["HELP"]:
                return str(node.value.value)
    return ""


def own_commands(app: str) -> dict[str, str]:
    """Each management command of an app with its `help`, read from the source: loading them all would take a second."""
    found = {}
    for path in sorted((ROOT / app / "management" / "commands").glob("[!_]*.py")):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        bodies = [node.body for node in tree.body if isinstance(node, ast.ClassDef) and node.name == "Command"]
        words = [
            node.value.value
            for node in (bodies[0] if bodies else [])
            if isinstance(node, ast.Assign) and isinstance(node.value, ast.Constant)
            if [target.id for target in node.targets if isinstance(target, ast.Name)] == ["help"]
        ]
        found[path.stem] = str(words[0]) if words else ""
    return found


def overview() -> str:
    lines = ["Usage: assize COMMAND [ARGUMENTS]", "", "Assize builds information-retrieval test collections."]
    for app, title in GROUPS.items():
        commands = own_commands(app)
        if commands:
            lines += ["", title, *(f"  {name.replace('_', '-'):<18}{about}" for name, about in commands.items())]
    if found := file_commands():
        lines += ["", ON_FILES]
        lines += [f"  {name.replace('_', '-'):<18}{file_command_help(module)}" for name, module in found.items()]
    return "\n".join(
        [
            *lines,
            "",
            "`assize COMMAND --help` tells a command's arguments, `assize help --commands` lists Django's commands too.",
        ]
    )


if __name__ == "__main__":
    sys.exit(main())
