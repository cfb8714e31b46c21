"""Archives that replay can show: folders of WARC files, and other forms, which are unpacked first."""

from __future__ import annotations

import gzip
import logging
import tempfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from hinterland.library.errors import HinterlandError
from hinterland.library.exporting import export
from hinterland.storage.warc.cdxj import ENDINGS, finished_files
from hinterland.storage.warc.reading import is_packed_as_one
from hinterland.storage.warc.wacz_reading import UnusableWacz, warcs_in
from hinterland.storage.warc.zstd_files import unpack_warc

_ZSTD: Final = ".warc.zst"
_BLOCK: Final = 1 << 20
MOST_TIMES: Final = 200
"""A file that unpacks to more than this many times its size is refused: it could fill the disk."""

_logger = logging.getLogger(__name__)


@contextmanager
def archive_folder(path: Path) -> Iterator[Path]:
    """Yield a folder of WARC and ARC files with the content of an archive.

    `path` is such a folder, a single WARC, ARC or WACZ file, or a store, whose kept bodies are shown. Files and stores
    are unpacked into a temporary folder if their records cannot be read one by one. Raises HinterlandError and OSError.
    """
    if path.is_dir():
        _require_readable(path)
        yield path
        return
    if not path.is_file():
        raise HinterlandError(f"there is no archive {path}; `crawl --warc {path}` writes one into a folder")
    with tempfile.TemporaryDirectory(prefix="replay-") as name:
        folder, ending = Path(name), path.name.lower()
        if ending.endswith(".wacz"):
            _unpack(path, folder)
        elif ending.endswith((*ENDINGS, _ZSTD)):
            _place(path, folder)
        elif not export(path, "warc", folder / "kept.warc.gz").written.count:
            raise HinterlandError(f"{path} keeps no bodies; crawl with --set storage.keep_bodies=true, or with --warc")
        yield folder


def _require_readable(folder: Path) -> None:
    """Raise HinterlandError unless a folder holds WARC files, and each of their records can be read alone."""
    files = finished_files(folder)
    if not files:
        raise HinterlandError(f"the folder {folder} holds no finished WARC file; `crawl --warc {folder}` writes some")
    for file in files:
        if is_packed_as_one(file):
            raise HinterlandError(
                f"{file} is packed as a whole, so that single pages cannot be read; unpack it: gunzip {file}"
            )


def _place(file: Path, folder: Path) -> None:
    """Put a file into a folder. If its records cannot be read one by one, it is unpacked."""
    if file.name.lower().endswith(_ZSTD):
        unpack_warc(file, folder / file.with_suffix("").name)
    elif is_packed_as_one(file):
        _unpack_gzip(file, folder / file.with_suffix("").name)
    else:
        (folder / file.name).symlink_to(file.absolute())


def _unpack_gzip(packed: Path, target: Path) -> None:
    """Unpack a file, or its undamaged beginning. Raises HinterlandError if the result is suspiciously large."""
    room = MOST_TIMES * max(packed.stat().st_size, _BLOCK)
    with gzip.open(packed) as file, target.open("wb") as plain:
        try:
            while part := file.read1(_BLOCK):
                room -= plain.write(part)
                if room < 0:
                    raise HinterlandError(
                        f"{packed} unpacks to more than {MOST_TIMES} times its size; if you trust it: gunzip {packed}"
                    )
        except (EOFError, zlib.error, gzip.BadGzipFile) as error:
            _logger.warning("%s is damaged (%s): only its first %d bytes are shown", packed, error, plain.tell())


def _unpack(package: Path, folder: Path) -> None:
    try:
        with tempfile.TemporaryDirectory(dir=folder) as scratch:
            for number, warc in enumerate(warcs_in(package, Path(scratch))):
                target = folder / f"{number}-{warc.name}"
                if warc.suffix.lower() == ".zst":
                    unpack_warc(warc, target.with_suffix(""))
                else:
                    warc.rename(target)
    except UnusableWacz as error:
        raise HinterlandError(f"{package}: {error}") from None
