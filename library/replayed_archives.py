"""Archives that replay can show: folders of WARC files, and other forms, which are unpacked into a temporary folder."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from hinterland.library.errors import HinterlandError
from hinterland.library.exporting import export
from hinterland.storage.warc.cdxj import finished_files
from hinterland.storage.warc.wacz_reading import UnusableWacz, warcs_in
from hinterland.storage.warc.zstd_files import unpack_warc


@contextmanager
def archive_folder(path: Path) -> Iterator[Path]:
    """Yield a folder of WARC and ARC files with what an archive holds.

    `path` is such a folder, a WACZ file, or a store, whose kept bodies are shown. A WACZ file or store is unpacked into
    a folder that is deleted at the end. Raises HinterlandError and OSError.
    """
    if path.is_dir():
        if not finished_files(path):
            raise HinterlandError(f"the folder {path} holds no finished WARC file; `crawl --warc {path}` writes some")
        yield path
        return
    if not path.is_file():
        raise HinterlandError(f"there is no archive {path}; `crawl --warc {path}` writes one into a folder")
    with tempfile.TemporaryDirectory(prefix="replay-") as name:
        folder = Path(name)
        if path.name.lower().endswith(".wacz"):
            _unpack(path, folder)
        elif not export(path, "warc", folder / "kept.warc.gz").written.count:
            raise HinterlandError(f"{path} keeps no bodies; crawl with --set storage.keep_bodies=true, or with --warc")
        yield folder


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
