"""Converts named arrays to and from npz files, which are read safely: no pickles, and no array larger than allowed."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from hinterland.storage.values.zip_errors import ZIP_ERRORS

_HEADER_BYTES: Final = 4_096
_SUFFIX: Final = ".npy"
_OLDEST_TIME: Final = (1980, 1, 1, 0, 0, 0)


class DamagedFile(ValueError):
    """Raised if a file is damaged or in another format. The message says what is wrong."""


@dataclass(frozen=True, slots=True)
class ArrayKind:
    """The required type and length of an array.

    `dtype` includes its byte order, as in '<f4'. `length` is the required length; None allows any length up to `most`.
    """

    dtype: str
    length: int | None = None
    most: int = 0

    @property
    def most_bytes(self) -> int:
        """The largest size of an array in the file, in bytes."""
        return np.dtype(self.dtype).itemsize * (self.most if self.length is None else self.length)


def to_npz(arrays: Mapping[str, NDArray[Any]]) -> bytes:
    """Return arrays as the bytes of an npz file; the same arrays always give the same bytes."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, array in arrays.items():
            member = io.BytesIO()
            np.lib.format.write_array(member, np.ascontiguousarray(array), version=(1, 0), allow_pickle=False)
            entry = zipfile.ZipInfo(name + _SUFFIX, _OLDEST_TIME)
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, member.getvalue())
    return buffer.getvalue()


def from_npz(data: bytes, kinds: Mapping[str, ArrayKind]) -> dict[str, NDArray[Any]]:
    """Return the arrays of the names in `kinds`, one-dimensional and read-only; other arrays are ignored.

    Raises DamagedFile.
    """
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            return {name: _array(archive, name, kind) for name, kind in kinds.items()}
    except ZIP_ERRORS as error:
        raise DamagedFile(f"it is not an npz file, or is damaged: {error}") from error


def _array(archive: zipfile.ZipFile, name: str, kind: ArrayKind) -> NDArray[Any]:
    try:
        entry = archive.getinfo(name + _SUFFIX)
    except KeyError:
        raise DamagedFile(f"it lacks the array {name}") from None
    if entry.file_size > kind.most_bytes + _HEADER_BYTES:
        raise DamagedFile(f"its array {name} has {entry.file_size:,} bytes, at most {kind.most_bytes:,} are read")
    member = io.BytesIO(archive.read(entry))
    try:
        version = np.lib.format.read_magic(member)
        if version != (1, 0):
            raise DamagedFile(f"its array {name} has the unknown version {version}")
        shape, _, dtype = np.lib.format.read_array_header_1_0(member, max_header_size=_HEADER_BYTES)
    except ValueError as error:
        raise DamagedFile(f"its array {name} has no readable header: {error}") from error
    content = member.read()
    if dtype.hasobject or dtype != np.dtype(kind.dtype) or len(shape) != 1:
        raise DamagedFile(f"its array {name} is {dtype} with {len(shape)} dimensions, not {kind.dtype} with one")
    if shape[0] * dtype.itemsize != len(content) or kind.length not in (None, shape[0]):
        raise DamagedFile(f"its array {name} says it has {shape[0]:,} elements, but has {len(content):,} bytes")
    return np.frombuffer(content, dtype)
