"""The pages of a crawled farm as its files and its server have them, with all URLs resolved."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Callable, Iterable, Mapping
from contextlib import closing
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Final
from urllib.parse import unquote, urlsplit

from benchmarks.audit_truth.reading import ReadPage
from benchmarks.audit_truth.resolving import NoUrl, resolved
from benchmarks.truth import is_only_compressed
from hinterland.crawler.settings import Settings
from hinterland.crawler.urls.canonical import Canonicaliser

_MOST_REDIRECTS: Final = 20
_BAD_ESCAPE: Final = re.compile(r"%(?![0-9A-Fa-f]{2})")
_CANONICAL: Final = Canonicaliser(drop_parameters=Settings().urls.drop_parameters).canonical
_WHOLE: Final = Canonicaliser(drop_parameters=()).canonical

Answers = Callable[[str], tuple[str, ...]]


@dataclass(eq=False)
class FarmPages:
    """The HTML pages of a crawl, read from the files of the farm.

    `answer` is the farm's own prediction of what its server says to a URL: "page" with the file, "to" with the target,
    "miss", "robots", "other" or "off". `asked` are the URLs that the crawl has requested, `local` those that it knows
    on the hosts of its site, `seeds` the start pages, and `listed` the URLs in sitemaps.
    `left_out` are those that the checks did not ask for since their host has too many.
    """

    answer: Answers
    files: Path
    asked: set[str]
    local: set[str]
    seeds: set[str]
    listed: set[str]
    left_out: set[str]
    read: dict[str, ReadPage] = field(default_factory=dict)
    paths: dict[str, Path] = field(default_factory=dict)

    @cached_property
    def links(self) -> Mapping[str, set[tuple[str, str]]]:
        """Page -> the distinct links that lead visitors on, as canonical URL and fragment."""
        return {url: {*self._resolved(url, page)} for url, page in self.read.items()}

    def _resolved(self, url: str, page: ReadPage) -> list[tuple[str, str]]:
        found = []
        for href in page.links:
            target = self.resolved(url, href.strip().partition("#")[0])
            if target is not None:
                found.append((target, href.strip().partition("#")[2].partition(":~:")[0]))
        return found

    def resolved(self, url: str, href: str, *, is_file: bool = False) -> str | None:
        """Return an href of a page as a canonical URL; None if it is none of http."""
        try:
            joined = resolved(href, self._base(url))
        except NoUrl:
            return None
        return None if joined is None else (_WHOLE if is_file else _CANONICAL)(joined)

    def _base(self, url: str) -> str:
        try:
            return resolved(self.read[url].base, url) or url
        except NoUrl:
            return url

    def canonical_file(self, href: str, base: str) -> str | None:
        """Return what a style sheet loads as a canonical URL; None if it is none of http."""
        try:
            joined = resolved(href, base)
        except NoUrl:
            return None
        return None if joined is None else _WHOLE(joined)

    def file_bytes(self, url: str) -> int:
        """Return the size of the file that the server sends for a URL; 0 if there is none."""
        path = self.files / (urlsplit(url).hostname or "") / unquote(urlsplit(url).path).lstrip("/")
        return path.stat().st_size if path.is_file() else 0

    def has_malformed_links(self, url: str) -> bool:
        """Whether a page has an href that is meant for the web, and that browsers refuse."""
        page = self.read[url]
        return any(
            self._is_refused_href(url, href)
            for href in (*page.links, *page.canonicals, *(href for _, href in page.alternates))
        )

    def _is_refused_href(self, url: str, href: str) -> bool:
        try:
            joined = resolved(href, self._base(url))
        except NoUrl:
            return True
        return joined is not None and _CANONICAL(joined) is None  # too long

    def says(self, url: str) -> str:
        """Return what the server says of a URL, redirects followed: "there", "missing", "refused" or "nothing"."""
        here: str | None = url
        kind = "off"
        for _ in range(_MOST_REDIRECTS):
            if here is None or not here.startswith("http://"):
                return "nothing"  # its certificate is the farm's own
            if here in self.left_out:
                return "refused"
            kind, *rest = self.answer(here)
            if kind != "to":
                break
            here = _CANONICAL(rest[0])
        if here is None or kind == "off":
            return "nothing"
        if kind == "robots" or (kind == "miss" and self.is_refused(here)):
            return "refused"
        return "missing" if self.is_missing(here) else "there"

    @cached_property
    def inlinks(self) -> Mapping[str, set[str]]:
        """URL -> the other pages that link to it."""
        found: dict[str, set[str]] = {}
        for url, links in self.links.items():
            for target, _ in links:
                if target != url:
                    found.setdefault(target, set()).add(url)
        return found

    @cached_property
    def _ends(self) -> dict[str, tuple[str | None, int]]:
        return {}

    def end(self, url: str) -> tuple[str | None, int]:
        """Return where a URL leads, None for nowhere, and by how many redirects; only what was asked for is known."""
        if url not in self._ends:
            here: str | None = url
            steps = 0
            while here is not None and here in self.asked and (said := self.answer(here))[0] == "to":
                here, steps = (_CANONICAL(said[1]), steps + 1) if steps < _MOST_REDIRECTS else (None, steps)
            self._ends[url] = here, steps
        return self._ends[url]

    @cached_property
    def ended(self) -> Mapping[str, set[str]]:
        """URL that does not redirect -> the other pages that lead there, directly or by redirects."""
        found: dict[str, set[str]] = {}
        for target, pages in self.inlinks.items():
            end, _ = self.end(target)
            if end is not None:
                found.setdefault(end, set()).update(pages)
        for end, pages in found.items():
            pages.discard(end)
        return found

    def is_refused(self, url: str) -> bool:
        """Whether the server forbids (403) what is there: a folder without an index."""
        parts = urlsplit(url)
        return (self.files / (parts.hostname or "") / parts.path.strip("/")).is_dir()

    def is_missing(self, url: str) -> bool:
        """Whether the server answers 404."""
        return self.answer(url)[0] == "miss" and not is_only_compressed(self.files, url) and not self.is_refused(url)

    def sent_bytes(self, url: str) -> tuple[int, bool]:
        """Return the number of bytes that the server sends of a page, and whether they are compressed."""
        path = self.paths[url]
        packed = path.with_name(f"{path.name}.gz")
        return (packed.stat().st_size, True) if packed.exists() else (path.stat().st_size, False)


def by_server(predicted: Answers) -> Answers:
    """Return the farm's prediction, corrected where its server was seen to answer otherwise."""

    def answer(url: str) -> tuple[str, ...]:
        parts = urlsplit(url)
        if parts.hostname in ("localhost", "127.0.0.1"):  # the default server answers 404
            return ("miss",) if parts.port in (None, 80, 8080) else ("off",)
        if _BAD_ESCAPE.search(parts.path):
            return ("miss",)  # status 400
        if parts.path.endswith("/.html"):
            return ("other",)  # a file without an ending, and so of no known type
        return predicted(url)

    return answer


def farm_pages(store: Path, predicted: Answers, root: Path, seeds: Iterable[str], sitemaps: Iterable[str]) -> FarmPages:
    """Read the pages that a crawl has fetched from the files of the farm; the store only says which they are."""
    answer = by_server(predicted)
    with closing(sqlite3.connect(f"file:{store}?mode=ro", uri=True)) as connection:
        asked = {url for (url,) in connection.execute("SELECT url FROM page JOIN fetch ON fetch.page = page.id")}
        left_out = {url for (url,) in connection.execute("SELECT url FROM link_check WHERE outcome = 'left_out'")}
        local = {url for (url,) in connection.execute("SELECT url FROM page WHERE is_local")}
    starts, listed = ({_CANONICAL(each) or each for each in urls} for urls in (seeds, sitemaps))
    found = FarmPages(answer, root / "www", asked, local, starts, listed & local, left_out)
    for url in sorted(asked & local):
        kind, *rest = answer(url)
        if kind == "page":
            found.paths[url] = Path(rest[0])
            found.read[url] = ReadPage(found.paths[url].read_bytes().decode("utf-8", "replace"))
    return found
