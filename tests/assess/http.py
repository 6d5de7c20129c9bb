"""An assessor whose browser is a program: judges through the real queue, one request for each document."""

import json
import uuid
from collections.abc import Callable

from django.test import Client

from pooling.models import Collection


def judge_by_http(
    client: Client, collection: Collection, grade: Callable[[str, str], int], seen: list[str] | None = None
) -> list[tuple[str, str]]:
    """Everything that comes, with the grade of (topic, docno); the order in which it came. `seen`: all that was answered."""
    page = client.get(f"/c/{collection.slug}/judge/").content.decode()
    held = json.loads(page.split('id="judge-cards" type="application/json">')[1].split("</script>")[0])
    order = []
    answers = [] if seen is None else seen
    answers.append(json.dumps(held))
    while held:
        card = held.pop(0)
        order.append((card["topic"], card["name"]))
        given = {"grade": grade(*order[-1]), "client_id": str(uuid.uuid4()), "held": ",".join(one["seat"] for one in held)}
        told = client.post(card["url"], given, headers={"accept": "application/json"})
        if told.status_code != 200:
            raise RuntimeError(f"POST {card['url']} answered {told.status_code}: {told.content[:300]!r}")
        held += told.json()["cards"]
        answers.append(told.content.decode())
    return order
