"""Known answers: worked examples as JSON, and what trec_eval 9.0.8 and 10.0 print for small files of our own."""

import json
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parent


def vectors(name: str, *measures: str) -> list[Any]:
    """The worked examples of one file whose measure is one of these; as pytest parameters, with their ids."""
    import pytest

    rows = json.loads((FOLDER / f"{name}.json").read_text())
    return [pytest.param(row, id=row["id"]) for row in rows if row["measure"] in measures]
