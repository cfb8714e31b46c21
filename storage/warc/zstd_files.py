"""Unpacks .warc.zst files: a zstd frame for each record, and perhaps a dictionary for all of them at the beginning.

The dictionary is in a skippable frame, as the specification "Zstandard Compression for WARC Files" says, and may itself
be packed.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import BinaryIO, Final

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

_DICTIONARY_MAGIC: Final = b"\x5d\x2a\x4d\x18"
_FRAME_MAGIC: Final = b"\x28\xb5\x2f\xfd"
_MAX_DICTIONARY_BYTES: Final = 64 << 20
_BLOCK: Final = 1 << 18
_MOST_TIMES: Final = 200


def unpack_warc(path: Path, target: Path) -> str:
    """Unpack a file into `target`.

    Returns why the rest could not be unpacked; "" if all of it was. A file that unpacks to more than 200 times its size
    is cut off. Raises OSError.
    """
    most = _MOST_TIMES * max(path.stat().st_size, _BLOCK)
    with path.open("rb") as packed, target.open("wb") as plain:
        try:
            dictionary = _dictionary(packed)
            return _unpack(packed, plain, dictionary, most)
        except (zstd.ZstdError, EOFError, ValueError) as error:
            return f"it cannot be unpacked ({error})"


def _unpack(packed: BinaryIO, plain: BinaryIO, dictionary: zstd.ZstdDict | None, most: int) -> str:
    frame, data, is_begun = zstd.ZstdDecompressor(zstd_dict=dictionary), b"", False
    while True:
        if frame.eof:
            data, is_begun = frame.unused_data, False
            frame = zstd.ZstdDecompressor(zstd_dict=dictionary)
        if frame.needs_input and not data:
            data = packed.read(_BLOCK)
            if not data:
                return "it ends within a frame" if is_begun else ""
        is_begun = True
        part = frame.decompress(data, _BLOCK)
        data = b""
        most -= len(part)
        if most < 0:
            return "it unpacks to too much"
        plain.write(part)


def _dictionary(packed: BinaryIO) -> zstd.ZstdDict | None:
    """Read the dictionary at the beginning of a file, and return it.

    Without a dictionary, the file is positioned at its beginning again, and None is returned.
    """
    head = packed.read(8)
    if head[:4] != _DICTIONARY_MAGIC:
        packed.seek(0)
        return None
    size = int.from_bytes(head[4:], "little")
    if size > _MAX_DICTIONARY_BYTES:
        raise ValueError("its dictionary is too large")
    content = packed.read(size)
    if content[:4] == _FRAME_MAGIC:
        content = zstd.ZstdDecompressor().decompress(content, _MAX_DICTIONARY_BYTES)
    return zstd.ZstdDict(content)
