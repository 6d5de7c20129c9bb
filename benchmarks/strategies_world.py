"""Collections to be judged under each strategy: run beside a site, in its data folder; prints slugs and secrets as JSON.

`python -m benchmarks.strategies_world FILE`: FILE holds the names of the strategies, the paths of runs, the pairs that are
judged, and the documents, if there are any.
"""

import json
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from config.models import User

BUDGET = 1000  # of a topic: all there is
ASSESSORS = 15  # each has some of the topics of every collection


def main(path: Path) -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    import django

    django.setup()
    from config import accounts
    from tests import factories

    given = json.loads(path.read_text())
    organizer = factories.make_user("Organizer")
    people = [factories.make_user(f"Assessor {number}") for number in range(ASSESSORS)]
    secrets = [accounts.make_token(user=user, name="bench", scopes=["judge"])[1] for user in people]
    made = {name: _made(name, given, organizer, people) for name in given["names"]}
    reads = accounts.make_token(user=organizer, name="bench", scopes=["read"])[1]
    print(json.dumps({"secrets": secrets, "organizer": reads, "made": made}))


def _made(name: str, given: dict[str, Any], organizer: "User", people: "list[User]") -> dict[str, Any]:
    """A collection of its own, with a round of the strategy; each topic is judged by one assessor."""
    from assess.services import assigning
    from assess.services.assigning import Rules, Wanted
    from pooling.models import Role, UploadKind
    from pooling.services.work import Direct
    from tests import factories
    from tests.pooling import files

    collection = factories.make_collection(organizer, f"Strategy {name}")
    collection.max_per_topic, collection.lenient_from = 1_000_000, given["rel"]
    collection.save()
    for user in people:
        factories.join(collection, user, Role.ASSESSOR)
    files.take(collection, organizer, UploadKind.TOPICS, given["topics"].encode())
    for run in given["runs"]:
        files.take_run(collection, organizer, Path(run).read_bytes())
    files.take(collection, organizer, UploadKind.DOCUMENTS, Path(given["documents"]).read_bytes())
    pool = files.draw_round(collection, organizer, name, **_values(name))
    wanted = [Wanted(topic, [people[place % ASSESSORS]]) for place, topic in enumerate(collection.topics.all())]
    order = "docno" if name == "depth" else "priority"
    assigning.assign(
        collection, by=organizer, wanted=wanted, overlap=0, rules=Rules(order=order), work=Direct(lambda *told: None)
    )
    scale = [grade.value for grade in collection.grades.all()]
    return {"slug": collection.slug, "seed": pool.seed, "scale": [scale[0], scale[-1]]}


def _values(name: str) -> dict[str, Any]:
    from pooling.core.strategies import STRATEGIES

    if name == "depth":
        return {"depth": BUDGET}
    if STRATEGIES[name].kind != "adaptive":
        return {"budget": BUDGET}
    return {"budget": BUDGET, "ahead": 1, **({"candidates": "runs", "read": BUDGET} if name == "cal" else {})}


if __name__ == "__main__":
    main(Path(sys.argv[1]))
