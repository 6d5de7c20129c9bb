"""What every process of the site asks of the kernel."""

import ctypes
import signal
import sys


def die_with_parent(sig: int = signal.SIGKILL) -> None:
    """Ask the kernel to send this process a signal when its parent ends (Linux; elsewhere nothing)."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(1, sig, 0, 0, 0)  # 1 = PR_SET_PDEATHSIG
