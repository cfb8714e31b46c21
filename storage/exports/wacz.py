"""WACZ: the archive of a crawl, with titles, texts and ranks of its pages, in one file that replay software opens."""

from __future__ import annotations

import json
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import BinaryIO, Final

from hinterland.storage.exports.format import FileFormat, FormatOption, UnusableOption, Written
from hinterland.storage.exports.resources import write_resources
from hinterland.storage.exports.source import ExportSource, utc
from hinterland.storage.warc.cdxj import INDEX_NAME, finished_files, index_lines, update_index
from hinterland.storage.warc.wacz import WaczInfo, WaczWriter

_SOFTWARE: Final = "Hinterland"
_MOST_CHARACTERS: Final = 200_000
"""Longer texts are cut in the list of pages, which replay software reads as a whole."""


def _folder(text: str) -> object:
    if text and not Path(text).is_dir():
        raise UnusableOption("must be the folder that `crawl --warc` wrote")
    return Path(text) if text else None


def _write(source: ExportSource, what: str, file: BinaryIO) -> Written:
    writer = WaczWriter(file)
    archive: Path | None = source.selection.options["archive"]
    if archive is not None:
        update_index(archive)
        files = finished_files(archive)
        with (archive / INDEX_NAME).open(encoding="utf-8") as index:
            _add(writer, files, index)
        left_out = {}
    else:
        with tempfile.TemporaryDirectory(prefix="wacz-") as place:
            bodies = Path(place) / "bodies.warc.gz"
            with bodies.open("wb") as warc:
                left_out = write_resources(source, warc).left_out
            _add(writer, [bodies], sorted(index_lines(bodies)))
    pages = _Pages(source)
    writer.add_pages(pages.lines(), has_text=source.selection.with_text)
    writer.close(WaczInfo(source.store.path.stem, _SOFTWARE, time.time(), pages.main_page))
    return Written(pages.count, "pages", left_out)


def _add(writer: WaczWriter, files: Sequence[Path], index: Iterator[str] | list[str]) -> None:
    for warc in files:
        writer.add_warc(warc)
    writer.add_index(index)


class _Pages:
    """The list of fetched pages. `main_page` is the URL of the first page in the list, usually a seed. Mutable."""

    def __init__(self, source: ExportSource) -> None:
        self._source = source
        self.count = 0
        self.main_page = ""

    def lines(self) -> Iterator[bytes]:
        for pages in self._source.pages():
            for page in pages:
                if page.outcome != "fetched" or page.fetched_at is None:
                    continue
                self.count += 1
                self.main_page = self.main_page or page.url
                line = {
                    "id": str(page.page),
                    "url": page.url,
                    "ts": utc(page.fetched_at),
                    "title": page.title or page.url,
                    "size": page.body_bytes or 0,
                    "depth": page.depth,
                    "seed": page.depth == 0,
                    "rank": page.as_web_sees if page.as_web_sees is not None else page.as_site_sees,
                    **({"text": page.text[:_MOST_CHARACTERS]} if page.text else {}),
                }
                yield json.dumps({name: value for name, value in line.items() if value is not None}).encode() + b"\n"


FORMAT: Final = FileFormat(
    ".wacz",
    ("pages",),
    _write,
    is_text=False,
    options={
        "archive": FormatOption(
            "the folder that `crawl --warc` wrote (default: none; then the kept bodies are archived)",
            None,
            _folder,
            takes_all=True,
        )
    },
    has_ranks=True,
)
