"""What a crowd judges: run beside a site, in its data folder; prints the secrets of the machines as JSON."""

import json
import os
import sys


def main(machines: int, topics: int, items: int) -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    import django

    django.setup()
    from assess.services import assigning
    from assess.services.assigning import Wanted
    from pooling.services import members
    from pooling.services.work import Direct
    from tests import factories
    from tests.assess import factories as judged

    organizer = factories.make_user("Judging Bench")
    collection = factories.make_collection(organizer, "Judging bench")
    made = [members.add_machine(collection, name=f"judge-{number}") for number in range(machines)]
    people = [membership.user for membership, _, _ in made]
    wanted = [Wanted(topic, people) for topic in judged.make_work(collection, organizer, topics=topics, items=items)]
    assigning.assign(collection, by=organizer, wanted=wanted, overlap=0, seed=1, work=Direct(lambda *told: None))
    print(json.dumps([secret for _, _, secret in made]))


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
