"""Programs that a test or benchmark needs beside Python's: found, or installed from Debian's packages where we may."""

import os
import shutil
import subprocess


def program(name: str, *packages: str) -> str:
    """Where it is. It may be in packages of other names than its own."""
    needed = packages or (name,)
    if not shutil.which(name) and os.geteuid() == 0 and shutil.which("apt-get"):
        for words in (["update", "-qq"], ["install", "-y", "-qq", "--no-install-recommends", *needed]):
            subprocess.run(["apt-get", *words], env={**os.environ, "DEBIAN_FRONTEND": "noninteractive"}, check=False)
    found = shutil.which(name)
    if not found:
        told = f"{name} is missing and could not be installed. On Debian or Ubuntu: sudo apt-get install {' '.join(needed)}"
        raise SystemExit(told)
    return found
