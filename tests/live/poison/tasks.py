"""Registered as every app's jobs are: by their names, when the site starts."""

import time

from config import jobs


@jobs.job("poison eats", minutes=5)
def eat(running: jobs.Running) -> str:
    """More and more memory in small pieces, each really used, until there is none left to say so with."""
    pieces: list[bytearray] = []
    while True:
        pieces += [bytearray(b"x" * 4096) for _ in range(256)]
        running.progress(len(pieces))
        time.sleep(0.01)


@jobs.job("poison sleeps", minutes=0.1)
def sleep(running: jobs.Running) -> str:
    while True:
        time.sleep(3600)
