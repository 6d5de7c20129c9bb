"""How many calls Python makes, to show that none is made for each topic or document."""

import sys
from collections.abc import Callable
from types import FrameType


def python_calls(act: Callable[[], object]) -> int:
    """Calls of Python and C functions while `act` runs; run once before, so that caches are filled."""
    act()
    count = 0

    def note(frame: FrameType, event: str, argument: object) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    before = sys.getprofile()
    sys.setprofile(note)
    try:
        act()
    finally:
        sys.setprofile(before)
    return count
