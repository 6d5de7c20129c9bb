"""Collections to be judged under each strategy: run beside a site, in its data folder; prints their slugs and secrets as JSON.

`python -m benchmarks.strategies_world FILE`: FILE holds the names of the strategies, the paths of runs, the pairs that are
judged, and the documents, if there are any.
"""

import json
import os
import sys
from pathlib import Path
from typing import Any

BUDGET = 1000  # of a topic: all there is


def main(path: Path) -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    import django

    django.setup()
    given = json.loads(path.read_text())
    print(json.dumps({name: _made(name, given) for name in given["names"]}))


def _made(name: str, given: dict[str, Any]) -> dict[str, Any]:
    """A collection of its own, with a round of the strategy, and one assessor for all of it."""
    from assess.services import assigning
    from assess.services.assigning import Rules, Wanted
    from config import accounts
    from pooling.models import UploadKind
    from tests import factories
    from tests.assess import factories as judged
    from tests.pooling import files

    organizer = factories.make_user(f"Organizer {name}")
    collection = factories.make_collection(organizer, f"Strategy {name}")
    collection.max_per_topic, collection.lenient_from = 1_000_000, given["rel"]
    collection.save()
    (assessor,) = judged.make_assessors(collection, f"Assessor {name}")
    files.take(collection, organizer, UploadKind.TOPICS, given["topics"].encode())
    for run in given["runs"]:
        files.take_run(collection, organizer, Path(run).read_bytes())
    files.take(collection, organizer, UploadKind.DOCUMENTS, Path(given["documents"]).read_bytes())
    pool = files.draw_round(collection, organizer, name, **_values(name))
    wanted = [Wanted(topic, [assessor]) for topic in collection.topics.all()]
    order = "docno" if name == "depth" else "priority"
    assigning.assign(collection, by=organizer, wanted=wanted, overlap=0, rules=Rules(order=order))
    secret = accounts.make_token(user=assessor, name="bench", scopes=["judge"])[1]
    scale = [grade.value for grade in collection.grades.all()]
    return {"slug": collection.slug, "secret": secret, "seed": pool.seed, "scale": [scale[0], scale[-1]]}


def _values(name: str) -> dict[str, Any]:
    from pooling.core.strategies import STRATEGIES

    if name == "depth":
        return {"depth": BUDGET}
    if STRATEGIES[name].kind != "adaptive":
        return {"budget": BUDGET}
    return {"budget": BUDGET, "ahead": 1, **({"candidates": "runs", "read": BUDGET} if name == "cal" else {})}


if __name__ == "__main__":
    main(Path(sys.argv[1]))
