"""Queries that are put into SQL once: they give what the query itself gives, with every value and list."""

import threading
import uuid
from typing import Any

import pytest
from django.db import connection, transaction
from django.db.models import QuerySet
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from assess.models import Seat
from config.models import ApiToken, Job, Throttle, User
from config.statements import Aside, columns, insert, insert_from, insert_many, insert_with, made, often, statement
from tests import factories

pytestmark = pytest.mark.django_db


@statement
def _named(names: Any, since: Any, *, count: int) -> QuerySet[User, Any]:
    found = User.objects.filter(username__in=names, date_joined__gte=since, is_active=True)
    return found.order_by("pk").values_list("pk", "name", "is_active", "date_joined")[:count]


def test_statement_gives_what_the_query_gives() -> None:
    people = [factories.make_user(name) for name in ("One", "Two", "Three")]
    names = [user.username for user in people]
    since = people[0].date_joined
    for chosen, count in ((names, 3), (names[:2], 3), (names, 1), (names[2:], 2)):
        with CaptureQueriesContext(
            connection,
        ) as asked:
            rows = _named(names=chosen, since=since, count=count)
        wanted = User.objects.filter(username__in=chosen).order_by("pk")[:count]
        assert [tuple(row) for row in rows] == [(u.pk, u.name, True, u.date_joined) for u in wanted]
        assert len(asked) == 1
    assert _named(names=names, since=timezone.now(), count=3) == []
    assert rows[0].name == "Three" and rows[0].is_active is True


@statement
def _tokens(digest: Any) -> QuerySet[ApiToken, Any]:
    return ApiToken.objects.filter(digest=digest).values_list(*columns(ApiToken), *columns(User, "user__"))


def test_made_is_the_object() -> None:
    token = ApiToken.objects.create(user=factories.make_user("Owner"), name="t", prefix="p", digest="d", scopes=["read"])
    (row,) = _tokens(digest="d")
    own = len(columns(ApiToken))
    again, user = made(ApiToken, row[:own]), made(User, row[own:])
    fresh = ApiToken.objects.get(pk=token.pk)
    assert {name: getattr(again, name) for name in columns(ApiToken)} == {
        name: getattr(fresh, name) for name in columns(ApiToken)
    }
    assert user == token.user and user.username == token.user.username and not user._state.adding


def test_insert_fills_in_defaults() -> None:
    key = str(uuid.uuid4())
    now = timezone.now()
    number = insert(Throttle, key=key, window_ends=now)
    stored = Throttle.objects.get(pk=number)
    assert (stored.key, stored.count, stored.window_ends) == (key, 0, now)


def test_a_row_comes_with_the_first_of_its_own() -> None:
    known = {"username": "her", "name": "Her ’ Name", "email": "her@example.org", "is_active": True}
    number = insert_with(User, known, ApiToken, "user_id", {"name": "first", "prefix": "p", "digest": "d", "scopes": ["read"]})
    assert [(user.pk, user.name) for user in User.objects.all()] == [(number, known["name"])]
    assert list(ApiToken.objects.values_list("user_id", "name", "scopes", "revoked_at")) == [(number, "first", ["read"], None)]


def test_many_are_inserted_as_one_by_one() -> None:
    """Columns of each, the same in all, and defaults."""
    owner, now, names = factories.make_user("Owner"), timezone.now(), ["one", "two\ttabs", "drei\nnl \\ ’"]
    insert_many(Throttle, ("key", "count"), zip(names, range(3), strict=True), window_ends=now)
    assert list(Throttle.objects.order_by("count").values_list("key", "count", "window_ends")) == [
        (name, number, now) for number, name in enumerate(names)
    ]
    insert_many(Job, ("title",), ([f"job {n}"] for n in range(2)), name="x", started_by_id=owner.pk)
    assert list(Job.objects.order_by("pk").values_list("title", "args", "state", "started_by")) == [
        (f"job {n}", {}, "waiting", owner.pk) for n in range(2)
    ]
    insert_many(Throttle, ("key",), [], window_ends=now)
    assert Throttle.objects.count() == 3


def test_rows_aside_become_rows_of_a_table() -> None:
    """Columns of each by SQL, the same in all, and defaults; nothing is left aside, and nothing that failed is stored."""
    owner, names = factories.make_user("Owner"), ["zwei", "tab\t’", "eins"]
    as_in = {"place": (Job, "total"), "title": (Job, "title"), "token": (Seat, "token")}
    tokens = [uuid.UUID(int=place) for place in range(3)]
    for _ in range(2):
        with Aside("some_jobs", as_in) as aside:
            aside.fill(zip([2, 1, 0], names, tokens, strict=True))
            chosen = "some_jobs j JOIN config_user u ON u.name = 'Owner' WHERE j.place < 2 ORDER BY j.place"
            given = {"title": "j.title", "total": "j.place + 7", "started_by_id": "u.id"}
            insert_from(chosen, Job, given, name="50 %", args={"a": 1})
            with connection.cursor() as cursor:
                cursor.execute("SELECT token FROM some_jobs ORDER BY place")
                assert [uuid.UUID(str(token)) for (token,) in cursor.fetchall()] == tokens[::-1]
    assert (
        list(Job.objects.order_by("pk").values_list("title", "total", "name", "args", "state", "started_by"))
        == [
            ("eins", 7, "50 %", {"a": 1}, "waiting", owner.pk),
            ("tab\t’", 8, "50 %", {"a": 1}, "waiting", owner.pk),
        ]
        * 2
    )


@pytest.mark.usefixtures("committed")
def test_writers_of_a_process_wait_for_each_other() -> None:
    """Read and then write, by many threads: every one of them counts, and none is told that the database is locked."""
    factories.make_user("Counted")
    Throttle.objects.create(key="turns", count=0, window_ends=timezone.now())
    errors: list[Exception] = []

    def add() -> None:
        try:
            for _ in range(10):
                with transaction.atomic():
                    found = Throttle.objects.select_for_update().get(key="turns")
                    Throttle.objects.filter(key="turns").update(count=found.count + 1)
        except Exception as error:
            errors.append(error)
        finally:
            connection.close()

    threads = [threading.Thread(target=add) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors == [] and Throttle.objects.get(key="turns").count == 60


@pytest.mark.larger
def test_what_is_asked_often_is_planned_once_for_a_connection() -> None:
    """On PostgreSQL alone: SQLite's driver keeps what it compiled."""
    user = factories.make_user("Often")
    for _ in range(4):
        assert _named(names=[user.username], since=user.date_joined, count=1)[0].pk == user.pk
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT generic_plans + custom_plans FROM pg_prepared_statements WHERE statement LIKE %s", ["%username%"]
        )
        assert cursor.fetchall() == [(2,)]  # from the third time on


def test_often_keeps_to_the_transaction() -> None:
    with pytest.raises(ZeroDivisionError), transaction.atomic(), often() as cursor:
        cursor.execute(
            "INSERT INTO config_throttle (key, count, window_ends) SELECT 'x', 1, CURRENT_TIMESTAMP WHERE 1 = %s", [1]
        )
        raise ZeroDivisionError
    assert not Throttle.objects.exists()
