"""An assessor whose browser is a program: judges through the real queue, one request for each document."""

import json
import uuid
from collections.abc import Callable
from typing import Any

from django.test import Client

from pooling.models import Collection


def cards_of(client: Client, collection: Collection) -> list[Any]:
    """What the page of judging comes with."""
    page = client.get(f"/c/{collection.slug}/judge/").content.decode()
    cards: list[Any] = json.loads(page.split('id="judge-cards" type="application/json">')[1].split("</script>")[0])
    return cards


def judge_one(client: Client, held: list[Any], grade: int, answers: list[str] | None = None) -> list[Any]:
    """Judge the first of what the page holds; what it is given next."""
    card = held.pop(0)
    given = {"grade": grade, "client_id": str(uuid.uuid4()), "held": ",".join(one["seat"] for one in held)}
    told = client.post(card["url"], given, headers={"accept": "application/json"})
    if told.status_code != 200:
        raise RuntimeError(f"POST {card['url']} answered {told.status_code}: {told.content[:300]!r}")
    if answers is not None:
        answers.append(told.content.decode())
    cards: list[Any] = told.json()["cards"]
    return cards


def judge_by_http(
    client: Client, collection: Collection, grade: Callable[[str, str], int], seen: list[str] | None = None
) -> list[tuple[str, str]]:
    """Everything that comes, with the grade of (topic, docno); the order in which it came. `seen`: all that was answered."""
    held = cards_of(client, collection)
    if seen is not None:
        seen.append(json.dumps(held))
    order = []
    while held:
        order.append((held[0]["topic"], held[0]["name"]))
        held += judge_one(client, held, grade(*order[-1]), seen)
    return order
