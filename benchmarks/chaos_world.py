"""What is judged while processes die: a collection made of real files. Prints the secrets of its people as JSON."""

import json
import os
import sys


def main(people: int, topics: int, items: int) -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    import django

    django.setup()
    from assess.services import assigning
    from assess.services.assigning import Wanted
    from config import accounts
    from pooling.services.work import Direct
    from tests import factories
    from tests.assess.factories import make_assessors
    from tests.pooling import files

    organizer = factories.make_user("Chaos Bench")
    collection = factories.make_collection(organizer, "Judging bench")
    docnos = [f"L{number:05}" for number in range(items)]
    files.take(collection, organizer, "topics", "".join(f"{n}\ttopic {n}\n" for n in range(1, topics + 1)).encode())
    files.take(collection, organizer, "documents", files.documents(docnos))
    files.take_run(collection, organizer, files.run_file("first", **{f"t{n}": " ".join(docnos) for n in range(1, topics + 1)}))
    files.draw(collection, organizer, items)
    crowd = make_assessors(collection, *(f"judge {number}" for number in range(people)))
    wanted = [Wanted(topic, crowd) for topic in collection.topics.all()]
    assigning.assign(collection, by=organizer, wanted=wanted, overlap=0.0, seed=1, work=Direct(lambda *told: None))
    secrets = [accounts.make_token(user=user, name="chaos", scopes=["judge"])[1] for user in crowd]
    own = accounts.make_token(user=organizer, name="chaos", scopes=["read", "submit", "manage"])[1]
    staff = factories.make_user("Chaos Admin", staff=True)
    admin = accounts.make_token(user=staff, name="chaos", scopes=["read", "manage"])[1]
    print(json.dumps({"assessors": secrets, "organizer": own, "admin": admin, "by": organizer.username}))


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
