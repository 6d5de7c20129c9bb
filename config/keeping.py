"""What takes longer to compute than a page may is kept in the process, under a key that changes with all it depends on."""

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from time import monotonic
from typing import TypeVar

MOST_KEPT = 64
LONG = 0.1  # seconds: what is made sooner is made anew each time
RESTS = 20  # times as long as making it took: people who watch take at most a twentieth of a processor
LATEST = 15.0  # seconds: nothing is older
Made = TypeVar("Made")
_kept: "OrderedDict[Hashable, object]" = OrderedDict()
_lock = threading.Lock()


def kept(key: Hashable, make: Callable[[], Made]) -> Made:
    """What was made under this key in this process, or what `make` makes now; the longest unused goes first."""
    with _lock:
        if key in _kept:
            _kept.move_to_end(key)
            found: Made = _kept[key]  # type: ignore[assignment]
            return found
    made = make()
    with _lock:
        _kept[key] = made
        while len(_kept) > MOST_KEPT:
            _kept.popitem(last=False)
    return made


def is_kept(key: Hashable) -> bool:
    """Whether it would be there at once."""
    with _lock:
        return key in _kept


_lately: "OrderedDict[Hashable, tuple[float, object]]" = OrderedDict()


def lately(key: Hashable, make: Callable[[], Made]) -> Made:
    """Of what changes all the time, and is looked at again and again: what was made a moment ago, or what `make` makes now.

    What took long is kept for twenty times as long, at most 15 s; it should tell when it was made."""
    began = monotonic()
    with _lock:
        until, there = _lately.get(key, (0.0, None))
    if began < until:
        return there  # type: ignore[return-value]
    made = make()
    now = monotonic()
    if now - began >= LONG:
        with _lock:
            _lately[key] = now + min(LATEST, RESTS * (now - began)), made
            _lately.move_to_end(key)
            while len(_lately) > MOST_KEPT:
                _lately.popitem(last=False)
    return made
