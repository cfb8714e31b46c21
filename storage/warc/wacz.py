"""WACZ files (version 1.1.1): WARC files, their index and a list of pages in one ZIP that replay software opens.

    archive/*.warc.gz  indexes/index.cdx.gz  indexes/index.idx  pages/pages.jsonl
    datapackage.json  datapackage-digest.json

WARC files are stored, not packed again, so that a reader can fetch single records of a file on a server. The index is
in portions (gzip members), and index.idx says where each begins.
"""

from __future__ import annotations

import hashlib
import json
import zipfile
import zlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path
from typing import BinaryIO, Final

VERSION: Final = "1.1.1"
_LINES: Final = 1024
_BLOCK: Final = 1 << 20
_INDEX: Final = "indexes/index.cdx.gz"


@dataclass(frozen=True, slots=True)
class WaczInfo:
    """The description of a package; `created` is in epoch seconds, `main_page` is the URL to show first."""

    title: str
    software: str
    created: float
    main_page: str = ""


class WaczWriter:
    """Writes one package into an open file, which need not be seekable."""

    def __init__(self, file: BinaryIO) -> None:
        """Begin the package."""
        self._zip = zipfile.ZipFile(file, "w", zipfile.ZIP_STORED)
        self._resources: list[dict[str, object]] = []

    def add_warc(self, path: Path) -> None:
        """Add a WARC file."""
        with path.open("rb") as file:
            self._add(f"archive/{path.name}", iter(lambda: file.read(_BLOCK), b""))

    def add_index(self, lines: Iterable[str]) -> None:
        """Add the index, given as sorted lines of CDXJ."""
        portions: list[str] = [f'!meta 0 {{"format": "cdxj-gzip-1.0", "filename": "{Path(_INDEX).name}"}}\n']
        self._add(_INDEX, _portions(iter(lines), portions))
        self._add("indexes/index.idx", ["".join(portions).encode()], zipfile.ZIP_DEFLATED)

    def add_pages(self, pages: Iterable[bytes], *, has_text: bool) -> None:
        """Add the list of pages, given as lines of JSON with id, url, ts, title and perhaps text."""
        head = {"format": "json-pages-1.0", "id": "pages", "title": "All Pages", "hasText": has_text}
        lines = (each for part in ([json.dumps(head).encode() + b"\n"], pages) for each in part)
        self._add("pages/pages.jsonl", lines, zipfile.ZIP_DEFLATED)

    def close(self, info: WaczInfo) -> None:
        """Add the description of the package with the hashes of all files, and end it."""
        created = f"{datetime.fromtimestamp(info.created, UTC):%Y-%m-%dT%H:%M:%SZ}"
        package = {
            "profile": "data-package",
            "resources": self._resources,
            "wacz_version": VERSION,
            "title": info.title,
            "software": info.software,
            "created": created,
            **({"mainPageUrl": info.main_page} if info.main_page else {}),
        }
        encoded = json.dumps(package, indent=2).encode()
        self._zip.writestr("datapackage.json", encoded, zipfile.ZIP_DEFLATED)
        digest = {"path": "datapackage.json", "hash": f"sha256:{hashlib.sha256(encoded).hexdigest()}"}
        self._zip.writestr("datapackage-digest.json", json.dumps(digest, indent=2), zipfile.ZIP_DEFLATED)
        self._zip.close()

    def _add(self, path: str, parts: Iterable[bytes], packing: int = zipfile.ZIP_STORED) -> None:
        entry = zipfile.ZipInfo(path, datetime.now(UTC).timetuple()[:6])
        entry.compress_type = packing
        entry.external_attr = 0o644 << 16
        hashed, size = hashlib.sha256(), 0
        with self._zip.open(entry, "w", force_zip64=True) as file:
            for part in parts:
                hashed.update(part)
                size += len(part)
                file.write(part)
        resource = {
            "name": Path(path).name.lower(),
            "path": path,
            "hash": f"sha256:{hashed.hexdigest()}",
            "bytes": size,
        }
        self._resources.append(resource)


def _portions(lines: Iterator[str], places: list[str]) -> Iterator[bytes]:
    """Yield packed portions of an index, and append to `places` where each begins."""
    offset = 0
    while some := list(islice(lines, _LINES)):
        packer = zlib.compressobj(wbits=16 + zlib.MAX_WBITS)
        packed = packer.compress("".join(some).encode()) + packer.flush()
        prefix = some[0].partition("{")[0].strip()
        places.append(f'{prefix} {{"offset": {offset}, "length": {len(packed)}}}\n')
        offset += len(packed)
        yield packed
