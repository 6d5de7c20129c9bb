"""A clock of day for some processes alone, which can be set while they run; all else has that of the machine."""

import struct
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.packages import program

SOURCE = Path(__file__).with_name("clock.c")


class Clock:
    """Processes that are started with `env` go by it."""

    def __init__(self, folder: Path) -> None:
        self._file, library = folder / "clock", folder / "clock.so"
        self._file.write_bytes(struct.pack("q", 0))
        command = [program("cc", "gcc", "libc6-dev"), "-shared", "-fPIC", "-O2", "-Wall", "-Wextra", "-Werror"]
        subprocess.run([*command, "-o", str(library), str(SOURCE)], check=True)
        self.env = {"LD_PRELOAD": str(library), "CLOCK_FILE": str(self._file)}

    def set(self, seconds: int) -> None:
        """So much ahead of the true time, or back where it is negative: at once, and for all of them."""
        with self._file.open("r+b") as opened:
            opened.write(struct.pack("q", seconds))


@contextmanager
def own_clock() -> Iterator[Clock]:
    with tempfile.TemporaryDirectory(prefix="assize-clock-") as folder:
        Path(folder).chmod(0o755)  # PostgreSQL is somebody else where this is root
        yield Clock(Path(folder))
