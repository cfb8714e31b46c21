"""Reads the WARC files in a WACZ. A WACZ of several crawls contains further WACZ files, which are read, too."""

from __future__ import annotations

import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from hinterland.storage.values.zip_errors import ZIP_ERRORS

_BLOCK: Final = 1 << 20
_MOST_TIMES: Final = 100
_ENDING: Final = ".wacz"


class UnusableWacz(Exception):
    """A file is not a WACZ, or holds something that cannot be unpacked; the message says what."""


def warcs_in(path: Path, folder: Path, most_times: int = _MOST_TIMES) -> Iterator[Path]:
    """Yield the WARC files of a WACZ, unpacked into `folder` one at a time; each is deleted before the next one.

    The caller may move them away. A file that would unpack to more than `most_times` times the size of the WACZ is
    refused. Raises UnusableWacz and OSError.
    """
    yield from _warcs_in(path, folder, most_times, may_nest=True)


def _warcs_in(path: Path, folder: Path, most_times: int, *, may_nest: bool) -> Iterator[Path]:
    most = most_times * max(path.stat().st_size, _BLOCK)
    with _opened(path) as package:
        entries = [entry for entry in package.infolist() if _is_warc(entry.filename)]
        inner = [entry for entry in package.infolist() if entry.filename.lower().endswith(_ENDING)] if may_nest else []
        if not entries and not inner:
            raise UnusableWacz("it holds no WARC file below archive/")
        for number, entry in enumerate(entries + inner):
            target = folder / f"{number}-{Path(entry.filename).name[-100:]}"
            _unpack(package, entry, target, most)
            if entry in inner:
                deeper = folder / str(number)
                deeper.mkdir()
                yield from _warcs_in(target, deeper, most_times, may_nest=False)
            else:
                yield target
            target.unlink(missing_ok=True)


@contextmanager
def _opened(path: Path) -> Iterator[zipfile.ZipFile]:
    try:
        with zipfile.ZipFile(path) as package:
            yield package
    except ZIP_ERRORS as error:
        raise UnusableWacz(f"it cannot be unpacked ({error})") from None


def _is_warc(name: str) -> bool:
    return name.startswith("archive/") and name.lower().endswith((".warc", ".warc.gz", ".warc.zst"))


def _unpack(package: zipfile.ZipFile, entry: zipfile.ZipInfo, target: Path, most: int) -> None:
    with package.open(entry) as packed, target.open("wb") as file:
        while part := packed.read(_BLOCK):
            most -= len(part)
            if most < 0:
                raise UnusableWacz(f"{entry.filename[:200]} would unpack to far more than the whole WACZ takes")
            file.write(part)
