"""Headers of tar archives, of which Python's own reader keeps in memory whatever length they state."""

import tarfile
from typing import Any, Self

from pooling.core.packed import Unpackable

LONGEST = 1 << 20
_READ_WHOLE = (tarfile.XHDTYPE, tarfile.XGLTYPE, tarfile.SOLARIS_XHDTYPE, tarfile.GNUTYPE_LONGNAME, tarfile.GNUTYPE_LONGLINK)


class Header(tarfile.TarInfo):
    """The header of a file; one that is too long, or lists the holes of a sparse file, refuses the archive."""

    def _proc_member(self, archive: tarfile.TarFile) -> Self:
        if self.type in _READ_WHOLE and self.size > LONGEST:
            raise Unpackable(f"A header in the archive has {self.size:,} bytes; at most {LONGEST:,} are allowed.")
        if self.type == tarfile.GNUTYPE_SPARSE:
            self._refuse_holes()
        found: Self = super()._proc_member(archive)  # type: ignore[misc]
        return found

    def _proc_gnusparse_10(self, *_: Any) -> None:
        self._refuse_holes()

    def _refuse_holes(self) -> None:
        raise Unpackable(f"“{self.name}” in the archive is a sparse file; expected whole ones.")
