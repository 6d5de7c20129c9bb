"""What somebody else puts on the queue is not done: a worker knows one function, one number, and no callbacks."""

import os
import pickle
from pathlib import Path
from typing import Any

import django_rq
import pytest
import redis
from rq.exceptions import DeserializationError
from rq.serializers import JSONSerializer

from config import jobs
from config.worker import Forged, QueuedJob
from tests.queue_server import queue_server

__all__ = ["queue_server"]


def fetched(queue_server: "redis.Redis", name: str) -> Any:
    return QueuedJob.fetch(name, connection=queue_server, serializer=JSONSerializer)


@pytest.mark.once
def test_workers_read_messages_by_our_class(db: None, queue_server: "redis.Redis") -> None:
    assert django_rq.get_worker("default").job_class is QueuedJob


@pytest.mark.once
@pytest.mark.parametrize(
    ("function", "arguments", "named"),
    [
        ("os.mkdir", ("{here}",), {}),
        ("config.jobs.run", ("{here}",), {}),
        ("config.jobs.run", (True,), {}),
        ("config.jobs.run", (), {"pk": 1}),
        ("config.jobs.sweep", (), {}),
        ("subprocess.check_call", (["mkdir", "{here}"],), {}),
    ],
)
def test_another_function_or_other_arguments_are_refused(
    queue_server: "redis.Redis", tmp_path: Path, function: str, arguments: tuple[Any, ...], named: dict[str, Any]
) -> None:
    here = tmp_path / "made"
    given = tuple([part.format(here=here) for part in one] if isinstance(one, list) else one for one in arguments)
    given = tuple(one.format(here=here) if isinstance(one, str) else one for one in given)
    jobs._queue().enqueue_call(function, args=given, kwargs=named, job_id="forged")
    with pytest.raises(Forged, match="not a job of this site"):
        fetched(queue_server, "forged").perform()
    assert not here.exists()


@pytest.mark.once
def test_callbacks_of_a_message_are_not_called(queue_server: "redis.Redis") -> None:
    jobs._queue().enqueue_call("config.jobs.run", args=(0,), job_id="with-callback")
    queue_server.hset("rq:job:with-callback", mapping={f"{when}_callback_name": "os.getpid" for when in ("success", "failure")})
    job = fetched(queue_server, "with-callback")
    assert (job.success_callback, job.failure_callback, job.stopped_callback) == (None, None, None)


class Bomb:
    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self) -> tuple[Any, ...]:
        return os.mkdir, (str(self.path),)


@pytest.mark.once
def test_pickle_is_not_read(queue_server: "redis.Redis", tmp_path: Path) -> None:
    jobs._queue().enqueue_call("config.jobs.run", args=(0,), job_id="pickled")
    queue_server.hset("rq:job:pickled", "data", pickle.dumps(Bomb(tmp_path / "made")))
    with pytest.raises(DeserializationError):
        fetched(queue_server, "pickled").perform()
    assert not (tmp_path / "made").exists()


@pytest.mark.once
def test_what_the_site_enqueues_is_called(db: None, queue_server: "redis.Redis") -> None:
    job = jobs.intend("trial", title="Trial", args={"steps": 1, "seconds": "0"})
    assert jobs.nudge(job)
    ours = fetched(queue_server, jobs._queue_id(job))
    assert (ours.func, ours.args) == (jobs.run, [job.pk])
