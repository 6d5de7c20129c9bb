"""What a crowd judges: run beside a site, in its data folder; prints the secrets of the assessors as JSON."""

import json
import os
import sys

PARTICIPANTS = 3


def main(people: int, topics: int, items: int, opinions: int = 1) -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    import django

    django.setup()
    from django.conf import settings

    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]  # nobody signs in by them
    from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY
    from django.contrib.sessions.backends.db import SessionStore

    from assess.services import assigning
    from assess.services.assigning import Rules, Wanted
    from config import accounts
    from pooling.models import Document, PoolItem, Role
    from pooling.services.work import Direct, tell_planner
    from tests import factories
    from tests.assess import factories as judged

    organizer = factories.make_user("Judging Bench")
    collection = factories.make_collection(organizer, "Judging bench")
    crowd = judged.make_assessors(collection, *(f"judge {number}" for number in range(people)))
    wanted = [Wanted(topic, crowd) for topic in judged.make_work(collection, organizer, topics=topics, items=items)]
    tell_planner(Document, PoolItem)  # as after an import
    rules = Rules(third=float(opinions > 2), by_item=opinions > 1)
    work, overlap = Direct(lambda *told: None), float(opinions > 1)
    assigning.assign(collection, by=organizer, wanted=wanted, overlap=overlap, seed=1, rules=rules, work=work)
    secrets = [accounts.make_token(user=user, name="bench", scopes=["judge"])[1] for user in crowd]
    own = accounts.make_token(user=organizer, name="bench", scopes=["read", "submit", "manage"])[1]
    rivals = [factories.make_user(f"Load Participant {number}") for number in range(PARTICIPANTS)]
    for user in rivals:
        factories.join(collection, user, Role.PARTICIPANT)
    theirs = [accounts.make_token(user=user, name="bench", scopes=["read", "submit"])[1] for user in rivals]
    session = SessionStore()
    session.update({SESSION_KEY: str(organizer.pk), BACKEND_SESSION_KEY: settings.AUTHENTICATION_BACKENDS[0]})
    session[HASH_SESSION_KEY] = organizer.get_session_auth_hash()
    session.create()
    docnos = list(PoolItem.objects.filter(pool__collection=collection).values_list("docno", flat=True))
    told = {"assessors": secrets, "organizer": own, "participants": theirs, "session": session.session_key}
    print(json.dumps({**told, "documents": docnos}))


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
