"""What takes longer to compute than a page may is kept in the process, under a key that changes with all it depends on."""

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import TypeVar

MOST_KEPT = 64
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
