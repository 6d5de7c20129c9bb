"""A collection with two runs, judged by two assessors; and the same with a scored release."""

import pytest

from config.models import User
from evaluation.models import Release
from pooling.models import Role
from tests import factories as people
from tests.conftest import Cast
from tests.evaluation import factories
from tests.remembered import remembered


@pytest.fixture
def second(cast: Cast) -> User:
    return remembered(make_second, cast)


def make_second(cast: Cast) -> User:
    user = people.make_user("Second Assessor")
    people.join(cast.collection, user, Role.ASSESSOR)
    return user


@pytest.fixture
def judged(cast: Cast, second: User) -> Cast:
    return remembered(make_judged, cast, second)


def make_judged(cast: Cast, second: User) -> Cast:
    factories.make_run(cast.collection, "alpha", factories.ALPHA, by=cast.participant, group="Kelp")
    factories.make_run(cast.collection, "beta", factories.BETA, by=cast.organizer)
    factories.judge_all(cast.collection, factories.FIRST, cast.assessor)
    factories.judge_all(cast.collection, factories.SECOND, second, slot=2)
    return cast


@pytest.fixture
def release(judged: Cast) -> Release:
    return remembered(make_release, judged)


def make_release(judged: Cast) -> Release:
    made = factories.freeze(judged.collection, judged.organizer, note="First one.")
    factories.score(made)
    return made
