"""The file of each page in an export: in the folders of its site, with names that are safe on every system. Pure.

A name keeps the URL's spelling. If some system would refuse or misread a part, the part is changed and a hash of the
URL is added. This concerns names that are reserved on Windows, dots at the ends, long names and queries. A hash is also
added to names that differ only in case.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable
from typing import Final
from urllib.parse import urlsplit

from hinterland.storage.exports.sitemap import folder_of

SUFFIX: Final = ".md"
FILE_NAMES: Final = r"https?-[a-z0-9._-]+(/[^/\\:*?\"<>|]+)*"
"""A pattern that the paths of all files and folders of such an export match."""
_MOST_BYTES: Final = 80
"""The maximum length of a name; most systems allow 255 bytes, and paths of 260 characters."""
_MOST_PATH_BYTES: Final = 180
_HASH_CHARACTERS: Final = 10
_UNSAFE: Final = re.compile(r"[^A-Za-z0-9._~%+@=,()!'-]")
_RESERVED: Final = re.compile(r"(?:con|prn|aux|nul|com[0-9]|lpt[0-9])(?:\..*)?", re.IGNORECASE)
_PAGE_SUFFIX: Final = re.compile(r"\.(?:x?html?|md)$", re.IGNORECASE)


def plain_path(url: str) -> str:
    """Return the path of a page's file, such as "https-a.example/docs/page.md". Several pages may have the same path.

    The path is never absolute, and has no ".." in it.
    """
    parts = urlsplit(url)
    host, *folders = folder_of(f"{parts.scheme}://{parts.netloc}"), *parts.path.split("/")[1:-1]
    name = parts.path.rpartition("/")[2] or "index"
    stem = _PAGE_SUFFIX.sub("", name) or name
    if parts.query:
        stem = f"{stem}-{parts.query}"
    safe = [_safe(folder, is_folder=True) for folder in folders] + [_safe(stem)]
    given = [*folders, stem]
    path = "/".join((host[:_MOST_BYTES], *safe))
    if len(path) > _MOST_PATH_BYTES:
        path = f"{host[:_MOST_BYTES]}/{safe[-1]}"
    elif safe == given and not parts.query and len(host) <= _MOST_BYTES:
        return path + SUFFIX
    return f"{path}-{hash_of(url)}{SUFFIX}"


def hash_of(url: str) -> str:
    """Return a hash of a URL, for use in a file name."""
    return hashlib.sha256(url.encode("utf-8", "surrogatepass")).hexdigest()[:_HASH_CHARACTERS]


class FileNames:
    """A file path for each of many pages. The paths differ on every file system. Takes 8 bytes of memory per page."""

    def __init__(self, urls: Iterable[str]) -> None:
        """Find the paths that are the same for several of these pages."""
        seen: set[int] = set()
        self._shared: set[int] = set()
        for url in urls:
            key = _key(plain_path(url))
            (self._shared if key in seen else seen).add(key)

    def path(self, url: str) -> str:
        """Return the path of the file of one of the pages."""
        path = plain_path(url)
        if _key(path) not in self._shared:
            return path
        return f"{path.removesuffix(SUFFIX)}-{hash_of(url)}{SUFFIX}"


def _key(path: str) -> int:
    return int.from_bytes(hashlib.blake2b(path.casefold().encode(), digest_size=8).digest(), "big")


def _safe(name: str, *, is_folder: bool = False) -> str:
    """Return a name that every file system accepts."""
    safe = _UNSAFE.sub("_", name)[:_MOST_BYTES].strip(". ") or "_"
    if _RESERVED.fullmatch(safe):
        safe = f"_{safe}"
    if is_folder and safe.lower().endswith(SUFFIX):  # a page may have the same name
        safe = f"{safe}_"
    return safe
