"""The real pages of a built webfarm, shown by the hosts of a box: each host is one folder of it.

The farm's links lead to its own host names; they are left as they are, so a crawl stays on each host.
"""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from urllib.parse import unquote


class FarmWeb:
    """The pages of a farm. Several hosts of the box show the same folder if they are more than its hosts."""

    def __init__(self, root: Path, hosts: int) -> None:
        """Assign the folders of a built farm to hosts. Raises FileNotFoundError if nothing was built."""
        folders = sorted(each for each in (root / "www").iterdir() if each.is_dir() and not each.name.startswith("."))
        starts = [start for folder in folders if (start := _start(folder)) is not None]
        if not starts:
            raise FileNotFoundError(f"there is no page below {root / 'www'}; build the webfarm first")
        self._roots = [starts[index % len(starts)] for index in range(hosts)]

    def page(self, index: int, path: str) -> bytes | None:
        """Return the page of a host at a path; None if there is none."""
        folder, start = self._roots[index]
        if path == "/":
            return b'<!doctype html><title>Start</title><a href="/%s">first page</a>' % start.encode()
        name = unquote(path.partition("?")[0]).lstrip("/")
        if "\0" in name or ".." in name.split("/"):
            return None
        return _read(folder / name / "index.html" if name.endswith("/") else folder / name)


def _start(folder: Path) -> tuple[Path, str] | None:
    """Return the folder of a host, and its uppermost page."""
    pages = (
        page for pattern in ("*.html", "*/*.html", "*/*/*.html", "**/*.html") for page in sorted(folder.glob(pattern))
    )
    page = next(pages, None)
    return None if page is None else (folder, page.relative_to(folder).as_posix())


@lru_cache(maxsize=2_000)
def _read(path: Path) -> bytes | None:
    return path.read_bytes() if path.suffix in (".html", ".htm") and path.is_file() else None
