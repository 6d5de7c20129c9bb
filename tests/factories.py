"""Plain functions that make things through the product's own services."""

import itertools

from django.utils.text import slugify

from config import accounts
from config.models import User
from pooling.models import Collection, Membership, Role
from pooling.services import collections

_count = itertools.count(1)
PASSWORD = "correct horse battery"


def make_user(name: str = "", *, staff: bool = False) -> User:
    name = name or f"Person {next(_count)}"
    return accounts.create_account(
        username=slugify(name), name=name, email=f"{slugify(name)}@example.org", password=PASSWORD, administrator=staff
    )


def make_collection(by: User, name: str = "", *, task: str = "ad-hoc", visibility: str = "private") -> Collection:
    name = name or f"Collection {next(_count)}"
    return collections.create_collection(by=by, name=name, slug=slugify(name), task=task, visibility=visibility)


def join(collection: Collection, user: User, role: Role) -> Membership:
    return Membership.objects.create(collection=collection, user=user, role=role)
