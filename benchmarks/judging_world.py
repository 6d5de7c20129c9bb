"""What a crowd judges: run beside a site, in its data folder; prints the secrets of the assessors as JSON."""

import json
import os
import sys


def main(people: int, topics: int, items: int, opinions: int = 1) -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    import django

    django.setup()
    from assess.services import assigning
    from assess.services.assigning import Rules, Wanted
    from config import accounts
    from pooling.models import PoolItem
    from pooling.services.work import Direct
    from tests import factories
    from tests.assess import factories as judged

    organizer = factories.make_user("Judging Bench")
    collection = factories.make_collection(organizer, "Judging bench")
    crowd = judged.make_assessors(collection, *(f"judge {number}" for number in range(people)))
    wanted = [Wanted(topic, crowd) for topic in judged.make_work(collection, organizer, topics=topics, items=items)]
    rules = Rules(third=float(opinions > 2), by_item=opinions > 1)
    work, overlap = Direct(lambda *told: None), float(opinions > 1)
    assigning.assign(collection, by=organizer, wanted=wanted, overlap=overlap, seed=1, rules=rules, work=work)
    secrets = [accounts.make_token(user=user, name="bench", scopes=["judge"])[1] for user in crowd]
    own = accounts.make_token(user=organizer, name="bench", scopes=["read", "submit", "manage"])[1]
    docnos = list(PoolItem.objects.filter(pool__collection=collection).values_list("docno", flat=True))
    print(json.dumps({"assessors": secrets, "organizer": own, "documents": docnos}))


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
