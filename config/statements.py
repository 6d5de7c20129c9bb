"""Queries that are asked all the time: put into SQL once, then only run.

Django puts a query together anew each time it is asked, which takes ten times as long as SQLite's answer. A function
that makes a queryset becomes a statement: it is called once, with a stand-in for each argument, and what it made is kept.
"""

import functools
import inspect
from collections import namedtuple
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from django.db import connection
from django.db.backends.utils import CursorWrapper
from django.db.models import Model, QuerySet, UUIDField, Value

AGAIN = 2  # times that something is planned anew before its plan is kept
FEW = 256  # shapes of one statement that are kept: vendors, limits, lengths of lists


@contextmanager
def often() -> Iterator[CursorWrapper]:
    """A cursor for what is asked all the time. PostgreSQL plans it once for a connection: planning the queries of a judgment
    takes longer than answering them. (Django writes values into a query, so that it is another one each time.)"""
    if connection.vendor != "postgresql" or connection.queries_logged:  # what was planned before is logged without words
        with connection.cursor() as cursor:
            yield cursor
        return
    from django.db.backends.postgresql.base import ServerBindingCursor

    connection.ensure_connection()
    connection.connection.prepare_threshold = AGAIN  # Django's is never
    with connection._prepare_cursor(ServerBindingCursor(connection.connection)) as cursor:  # type: ignore[attr-defined, call-arg]
        yield cursor


@contextmanager
def at_once() -> Iterator[None]:
    """What is asked within goes to PostgreSQL together, and its answers come together, when the first of them is read: a way
    there and back for all, where a busy machine lets each way wait for a processor twice."""
    if connection.vendor != "postgresql" or connection.queries_logged:
        yield
        return
    connection.ensure_connection()
    with connection.wrap_database_errors, connection.connection.pipeline():
        yield


class Given(Value):
    """Stands in a query for a value that comes when the statement is run."""

    def as_sql(self, compiler: Any, connection: Any) -> tuple[str, list[Any]]:  # type: ignore[override]
        return "%s", [self]


class Compiled:
    """A query as SQL, with what turns its columns into values."""

    def __init__(self, queryset: QuerySet[Any, Any]) -> None:
        query = queryset.query
        compiler = query.get_compiler(connection=connection)
        self.sql, params = compiler.as_sql()
        self.params = [param.value if isinstance(param, Given) else _Fixed(param) for param in params]
        self.converters = compiler.get_converters([column for column, _, _ in compiler.select])
        self.row = namedtuple("Row", list(query.selected or ()))  # type: ignore[misc]

    def run(self, values: dict[str, Any]) -> list[Any]:
        given = [param.value if isinstance(param, _Fixed) else values[param] for param in self.params]
        with often() as cursor:
            cursor.execute(self.sql, given)
            rows = cursor.fetchall()
        found = []
        for row in rows:
            columns = list(row)
            for place, (converters, expression) in self.converters.items():
                for convert in converters:
                    columns[place] = convert(columns[place], expression, connection)
            found.append(self.row(*columns))
        return found


class _Fixed:
    def __init__(self, value: Any) -> None:
        self.value = value


def statement(build: Callable[..., QuerySet[Any, Any]]) -> Callable[..., list[Any]]:
    """Of a function that makes a `values_list` queryset: run it with arguments, and get its rows, with their names.

    A number annotated as `int` with a default (a limit) makes a statement of its own for each of its values, and so
    does the length of a list. Nothing else may depend on a value: it is not there when the query is made.
    """
    signature = inspect.signature(build)
    shapes = {name for name, told in signature.parameters.items() if told.kind is told.KEYWORD_ONLY}

    @functools.lru_cache(FEW)
    def compiled(vendor: str, shape: tuple[tuple[str, Any], ...], lengths: tuple[tuple[str, int], ...]) -> Compiled:
        many = dict(lengths)
        stand_ins: dict[str, Any] = {}
        for name in signature.parameters.keys() - shapes:
            if name in many:
                stand_ins[name] = [Given(f"{name}.{number}") for number in range(many[name])]
            else:
                stand_ins[name] = Given(name)
        return Compiled(build(**stand_ins, **dict(shape)))

    @functools.wraps(build)
    def run(**values: Any) -> list[Any]:
        given: dict[str, Any] = {}
        lengths = []
        adapt = connection.ops.adapt_datetimefield_value
        for name, value in values.items():
            if name in shapes:
                continue
            if isinstance(value, list):
                lengths.append((name, len(value)))
                given.update((f"{name}.{number}", _plain(one, adapt)) for number, one in enumerate(value))
            else:
                given[name] = _plain(value, adapt)
        shape = tuple((name, values[name]) for name in values if name in shapes)
        return compiled(connection.vendor, shape, tuple(lengths)).run(given)

    return run


def _plain(value: Any, adapt: Callable[[Any], Any]) -> Any:
    """As the database takes it."""
    if isinstance(value, Model):
        return value.pk
    if hasattr(value, "tzinfo"):
        return adapt(value)
    if hasattr(value, "hex") and not isinstance(value, float) and not connection.features.has_native_uuid_field:
        return value.hex
    return value


@functools.cache
def _insert(model: type[Model], link: str = "") -> tuple[str, list[Any]]:
    """In SQL, and of which fields; `link` is one that comes from the row `head`."""
    fields = [field for field in model._meta.concrete_fields if not field.primary_key and field.attname != link]
    quote = connection.ops.quote_name
    names = ", ".join([*(quote(str(field.column)) for field in fields), *([quote(link)] if link else [])])
    places, key = ", ".join(["%s"] * len(fields)), quote(str(model._meta.pk.column))
    rows = f"SELECT {places}, head.id FROM head" if link else f"VALUES ({places})"  # noqa: S608
    return f"INSERT INTO {quote(model._meta.db_table)} ({names}) {rows} RETURNING {quote(link) if link else key}", fields


def _stored(fields: list[Any], values: dict[str, Any]) -> list[Any]:
    given = [values[field.attname] if field.attname in values else field.get_default() for field in fields]
    return [field.get_db_prep_save(value, connection) for field, value in zip(fields, given, strict=True)]


def _number(sql: str, stored: list[Any]) -> int:
    with often() as cursor:
        cursor.execute(sql, stored)
        number: int = cursor.fetchone()[0]
        return number


def insert(model: type[Model], **values: Any) -> int:
    """A new row; what is not given has its default. Its number."""
    sql, fields = _insert(model)
    return _number(sql, _stored(fields, values))


def insert_with(model: type[Model], values: dict[str, Any], of: type[Model], link: str, first: dict[str, Any]) -> int:
    """A new row and the first of those that belong to it by `link`. PostgreSQL makes both by one statement. Its number."""
    if connection.vendor != "postgresql":
        number = insert(model, **values)
        insert(of, **first, **{link: number})
        return number
    (sql, fields), (then, others) = _insert(model), _insert(of, link)
    return _number(f"WITH head AS ({sql}) {then}", [*_stored(fields, values), *_stored(others, first)])


def insert_many(model: type[Model], names: Sequence[str], rows: Iterable[Sequence[Any]], **same: Any) -> None:
    """New rows of these columns, with the `same` in all; what is given by neither has its default. In a transaction.

    Without an object for each, which takes ten times as long as the database: others wait for the lock meanwhile.
    """
    rest, last = _rest(model, names, same)
    fields = [*(model._meta.get_field(name) for name in names), *rest]
    _fill(model._meta.db_table, {str(field.column): field for field in fields}, ([*row, *last] for row in rows))


def _rest(model: type[Model], names: Collection[str], same: Mapping[str, Any]) -> tuple[list[Any], list[Any]]:
    """The fields that these names leave, and what the database takes for them: what is the same in all rows, or the default."""
    rest = [field for field in model._meta.concrete_fields if not field.primary_key and field.attname not in names]
    return rest, [field.get_db_prep_save(same.get(field.attname, field.get_default()), connection) for field in rest]


def _fill(table: str, fields: Mapping[str, Any], rows: Iterable[list[Any]]) -> None:
    quote = connection.ops.quote_name
    columns = ", ".join(map(quote, fields))
    uuids = [place for place, field in enumerate(fields.values()) if isinstance(field, UUIDField)]
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            with cursor.copy(f"COPY {quote(table)} ({columns}) FROM STDIN") as copy:
                for row in rows:
                    copy.write_row(row)
            return
        places = ", ".join(["%s"] * len(fields))
        sql = f"INSERT INTO {quote(table)} ({columns}) VALUES ({places})"  # noqa: S608
        cursor.executemany(sql, (_plain_uuids(row, uuids) for row in rows))  # type: ignore[arg-type]  # one by one


def _plain_uuids(row: list[Any], places: Sequence[int]) -> list[Any]:
    for place in places:
        row[place] = row[place].hex
    return row


class Aside:
    """Rows of this connection alone, for `insert_from`: columns of any names, each like a field of a model.

    Filling it takes no lock that others wait for, and from there rows come into their tables by one statement each, in half
    the time that it takes one after the other.
    """

    def __init__(self, name: str, columns: Mapping[str, tuple[type[Model], str]]) -> None:
        self.name = name
        self._fields: dict[str, Any] = {column: model._meta.get_field(field) for column, (model, field) in columns.items()}

    def __enter__(self) -> "Aside":
        columns = ", ".join(f"{column} {field.db_type(connection)}" for column, field in self._fields.items())
        with connection.cursor() as cursor:
            cursor.execute(f"CREATE TEMPORARY TABLE {self.name} ({columns})")
        return self

    def __exit__(self, *error: object) -> None:
        with connection.cursor() as cursor:
            cursor.execute(f"DROP TABLE {self.name}")

    def fill(self, rows: Iterable[Sequence[Any]]) -> None:
        """Whatever yields the rows asks the database for nothing: PostgreSQL reads them as they come."""
        _fill(self.name, self._fields, (list(row) for row in rows))


def insert_from(source: str, model: type[Model], columns: Mapping[str, str], **same: Any) -> None:
    """New rows of what SQL finds in `source`: each of these columns by its expression; the others as by `insert_many`."""
    rest, last = _rest(model, columns, same)
    quote = connection.ops.quote_name
    names = [quote(str(field.column)) for field in [*map(model._meta.get_field, columns), *rest]]
    values = ", ".join([*columns.values(), *["%s"] * len(rest)])
    sql = f"INSERT INTO {quote(model._meta.db_table)} ({', '.join(names)}) SELECT {values} FROM {source}"  # noqa: S608
    with connection.cursor() as cursor:
        cursor.execute(sql, last)


def columns(model: type[Model], before: str = "") -> list[str]:
    """All of a model's own columns, for `made`; `before` is the way to it."""
    return [before + field.attname for field in model._meta.concrete_fields]


def made(model: type[Model], values: Sequence[Any]) -> Any:
    """An object, as a query for it would have given it, of the values of its `columns`."""
    return model.from_db("default", [field.attname for field in model._meta.concrete_fields], values)
