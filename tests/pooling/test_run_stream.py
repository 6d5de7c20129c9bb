import gzip
import io
import subprocess
import sys
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pooling.core import run_stream
from pooling.core.packed import Unpackable
from pooling.core.run_stream import check_file
from pooling.core.runs import RunRead, check_run
from tests.golden import vectors

PLAIN = b"1 Q0 a 1 3 t\n1 Q0 b 2 2 t\n2 Q0 a 1 1 t\n10 Q0 c 1 5 t\n10 Q0 a 2 4 t\n"


def both(data: bytes, **options: Any) -> tuple[RunRead, RunRead]:
    return check_file(lambda: io.BytesIO(data), **options), check_run(data, **options)


def whole(read: RunRead) -> tuple[object, ...]:
    """All that is told of a run."""
    ranked = read.rankings
    rows = ranked and (ranked.topics.tolist(), ranked.offsets.tolist(), ranked.docnos.tolist(), ranked.scores.tolist())
    return rows, read.tag, read.header, read.report.findings, read.report.counts, read.report.offers, read.mended


def is_streamed(data: bytes, **options: Any) -> bool:
    return run_stream._Stream(1 << 30, 1000, None, **options).read(io.BytesIO(data)) is not None


@pytest.mark.parametrize("vector", vectors("formats", "validate_run"))
def test_the_worked_examples(vector: dict[str, Any]) -> None:
    docnos = np.array([docno.encode() for docno in vector["docids"]]) if "docids" in vector else None
    mine, theirs = both(vector["text"].encode(), topics=set(vector["topics"]), docnos=docnos, **vector["params"])
    assert whole(mine) == whole(theirs)


LINES = st.builds(
    "{} Q0 {} {} {} {}{}".format,
    st.sampled_from(["1", "2", "10", "01", "７"]),
    st.sampled_from(["a", "b", "c", "é", "d:1-2", "#x"]),
    st.sampled_from(["0", "1", "2", "3", "x"]),
    st.sampled_from(["1", "2.5", "-3", "1e3", "nan", "2.50"]),
    st.sampled_from(["t", "t", "t", "t", "u"]),
    st.sampled_from(["\n", "\n", "\n", "\n\n", "\r\n", " \n", " 7\n", "\n# said\n", "\x7f\n"]),
)


@given(st.lists(LINES, max_size=12).map("".join), st.booleans(), st.booleans(), st.integers(30, 200))
def test_any_file_is_told_of_alike(text: str, strict: bool, known: bool, piece: int) -> None:
    """Pieces of a few lines, so that most files are read in several."""
    options: dict[str, Any] = {"strict": strict, "max_per_topic": 3, "depth": 2}
    if known:
        options |= {"topics": {"1", "2", "10"}, "docnos": np.array([b"a", b"b", b"c"])}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(run_stream, "PIECE_ALONE", piece)
        mine, theirs = both(text.encode(), **options)
    assert whole(mine) == whole(theirs)


@pytest.mark.parametrize(
    ("data", "streamed"),
    [
        (PLAIN, True),
        (PLAIN.replace(b" ", b"\t"), True),
        (PLAIN.replace(b" ", b"  ").replace(b"\n", b"\n\n"), True),
        (PLAIN.replace(b"a", "é".encode()), True),
        (PLAIN.replace(b"\n", b"\r\n"), False),
        (b"\xef\xbb\xbf" + PLAIN, False),
        (PLAIN.replace(b"a", b"\xe9"), False),
        (PLAIN + b"1 Q0 z 9 1 t\n", False),
        (PLAIN + b"3 Q0 z 1 1 u\n", False),
        (b"# ir_metadata.start\n" + PLAIN, False),
        (PLAIN.replace(b"t\n", b"..\n"), False),
        (b"", False),
    ],
)
def test_what_is_plain_is_read_as_it_comes(data: bytes, streamed: bool) -> None:
    assert is_streamed(data) is streamed
    mine, theirs = both(data)
    assert whole(mine) == whole(theirs)


def test_packed_files_and_their_limits() -> None:
    packed = gzip.compress(PLAIN)
    assert whole(check_file(lambda: io.BytesIO(packed))) == whole(check_run(PLAIN))
    for data in (PLAIN, packed):
        with pytest.raises(Unpackable):
            check_file(partial(io.BytesIO, data), limit=len(PLAIN) - 1)
        with pytest.raises(Unpackable):
            check_file(partial(io.BytesIO, data), most_lines=4)


GROWTH = """
import io, sys, tempfile
from functools import partial
from pathlib import Path
from pooling.core.run_stream import check_file

for path in sys.argv[1:]:
    found = check_file(partial(io.FileIO, path)).rankings
    with tempfile.TemporaryFile() as file:
        found.write(file)
    peak = Path("/proc/self/status").read_text().partition("VmHWM:")[2].split()[0]
    print(len(found) * (found.docnos.itemsize + 8) >> 10, peak)
"""


def test_memory_does_not_grow_with_the_documents(tmp_path: Path) -> None:
    """Names of 60 bytes, no document twice, topics in no order: columns of 7 and of 66 MB, of which little may be held."""
    sizes = {"small": 100, "large": 1000}
    for name, topics in sizes.items():
        with (tmp_path / name).open("w") as file:
            for topic in range(topics):
                file.writelines(
                    f"{topic * 7919 % 10007} Q0 {topic:030}{rank:030} {rank} {-rank} t\n" for rank in range(1, 1001)
                )
    command = [sys.executable, "-c", GROWTH, *(str(tmp_path / name) for name in sizes)]
    told = subprocess.run(command, check=True, capture_output=True, text=True).stdout.split()
    (few, before), (many, after) = (map(int, told[:2]), map(int, told[2:]))
    assert many == 1_000_000 * 68 >> 10
    assert after - before < (many - few) // 3
