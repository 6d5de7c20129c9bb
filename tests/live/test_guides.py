"""The tour of the API does what it says: its Python runs as it stands, on a real site, from nothing to a leaderboard."""

import re
import subprocess
import sys

import pytest

from config import accounts
from tests import factories
from tests.site import ROOT, Site


@pytest.mark.once
def test_the_python_of_the_tour_goes_from_nothing_to_scores(site: Site) -> None:
    script = re.search(r"```python\n(.*?)```", (ROOT / "docs" / "guides" / "api.md").read_text(), re.DOTALL)
    assert script
    olga = factories.make_user("Olga of the tour")
    _token, secret = accounts.make_token(user=olga, name="tour", scopes=["read", "submit", "manage"])
    env = {"API": f"{site.url}/api/v1", "TOKEN": secret}
    done = subprocess.run([sys.executable, "-c", script[1]], env=env, capture_output=True, text=True, timeout=100, check=False)
    assert done.returncode == 0, done.stderr
    assert [line.split()[0] for line in done.stdout.splitlines()] == ["5", "assize-bm25", "assize-tfidf"]
