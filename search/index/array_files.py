"""Index arrays that are written in chunks and never held in memory as a whole."""

from __future__ import annotations

import tempfile
import zipfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from shutil import copyfileobj
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from hinterland.search.arranged_phrases import ArraySink


@contextmanager
def growing_arrays(path: Path) -> Iterator[ArraySink]:
    """Provide a function that takes chunks of arrays, and write the arrays to an .npz file: all of them or nothing.

    The chunks of an array are concatenated and must have the same dtype. Until the with block ends, they are in unnamed
    files in the same folder. Raises OSError.
    """
    with ExitStack() as opened:
        columns: dict[str, tuple[IO[bytes], np.dtype[Any]]] = {}

        def put(name: str, part: NDArray[Any], /) -> None:
            if name not in columns:
                columns[name] = opened.enter_context(tempfile.TemporaryFile(dir=path.parent)), part.dtype
            file, kind = columns[name]
            assert part.dtype == kind, f"{name} is of {kind}, not of {part.dtype}"
            file.write(part.tobytes())

        yield put
        scratch = path.with_suffix(".new.npz")
        with zipfile.ZipFile(scratch, "w") as archive:
            for name, (file, kind) in columns.items():
                with archive.open(f"{name}.npy", "w", force_zip64=True) as member:
                    _copy(file, kind, member)
        scratch.replace(path)


def _copy(file: IO[bytes], kind: np.dtype[Any], member: IO[bytes]) -> None:
    """Write the file's content as an .npy member with one dimension."""
    header = {
        "descr": np.lib.format.dtype_to_descr(kind),
        "fortran_order": False,
        "shape": (file.tell() // kind.itemsize,),
    }
    np.lib.format.write_array_header_1_0(member, header)
    file.seek(0)
    copyfileobj(file, member)
