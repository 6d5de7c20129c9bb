"""What every process of the site asks of the kernel."""

import ctypes
import os
import signal
import sys


def die_with_parent(sig: int = signal.SIGKILL) -> None:
    """Ask the kernel to send this process a signal when its parent ends (Linux; elsewhere nothing)."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(1, sig, 0, 0, 0)  # 1 = PR_SET_PDEATHSIG


SUPERVISOR = "_ASSIZE_SUPERVISOR"  # set by config.up for its children: its process number
LOADED = "This web process has loaded."  # what each says to the supervisor


def is_orphan() -> bool:
    """The supervisor that started this process has ended, and its signal came at a moment when nobody listened."""
    parent = os.environ.get(SUPERVISOR)
    return parent is not None and os.getppid() != int(parent)
