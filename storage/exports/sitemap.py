"""sitemap.xml files as defined by sitemaps.org, in a folder for each host, since a sitemap covers a single host."""

from __future__ import annotations

import re
from datetime import UTC
from email.utils import parsedate_to_datetime
from pathlib import Path
from xml.sax.saxutils import escape

from hinterland.storage.exports.format import FolderFormat, Written
from hinterland.storage.exports.source import ExportSource, PageRow

MAX_URLS = 50_000
MAX_BYTES = 50_000_000
"""52,428,800 are allowed; the tags around the URLs are not counted here."""
MAX_URL_LENGTH = 2047
_BUFFER = 1 << 16
_NAMESPACE = "http://www.sitemaps.org/schemas/sitemap/0.9"
_DECLARATION = '<?xml version="1.0" encoding="UTF-8"?>\n'
_PART = "sitemap-{:05}.xml"


class _HostSitemap:
    """The sitemap of one host.

    Files are open only while lines are appended, since there may be many hosts.
    """

    def __init__(self, folder: Path, host: str) -> None:
        """Create the folder of the host."""
        self._folder = folder
        self._host = host
        self._lines: list[str] = []
        self._buffered = 0
        self._urls = 0
        self._bytes = 0
        self._parts = 0
        folder.mkdir()

    def add(self, line: str) -> None:
        """Add the line of one URL."""
        size = len(line)  # escaped, and in ASCII
        if not self._parts or self._urls == MAX_URLS or self._bytes + size > MAX_BYTES:
            self._end_part()
            self._parts += 1
            self._urls = self._bytes = 0
            self._lines.append(f'{_DECLARATION}<urlset xmlns="{_NAMESPACE}">\n')
        self._lines.append(line)
        self._urls += 1
        self._bytes += size
        self._buffered += size
        if self._buffered > _BUFFER:
            self._flush()

    def finish(self) -> None:
        """Complete the files, and write a sitemap index if there are several of them."""
        self._end_part()
        whole = self._folder / "sitemap.xml"
        if self._parts == 1:
            (self._folder / _PART.format(1)).rename(whole)
            return
        with whole.open("w", encoding="ascii") as index:
            index.write(f'{_DECLARATION}<sitemapindex xmlns="{_NAMESPACE}">\n')
            for number in range(1, self._parts + 1):
                index.write(f"<sitemap><loc>{escape(self._host)}/{_PART.format(number)}</loc></sitemap>\n")
            index.write("</sitemapindex>\n")

    def _end_part(self) -> None:
        if self._parts:
            self._lines.append("</urlset>\n")
            self._flush()

    def _flush(self) -> None:
        with (self._folder / _PART.format(self._parts)).open("a", encoding="ascii") as file:
            file.writelines(self._lines)
        self._lines.clear()
        self._buffered = 0


def _write(source: ExportSource, what: str, folder: Path) -> Written:
    hosts: dict[str, _HostSitemap] = {}
    count, not_indexable, too_long = 0, 0, 0
    for pages in source.pages():
        for page in pages:
            if not page.is_local or page.outcome != "fetched":
                continue
            if not page.is_indexable:
                not_indexable += 1
            elif len(page.url) > MAX_URL_LENGTH:
                too_long += 1
            else:
                if page.host not in hosts:
                    hosts[page.host] = _HostSitemap(folder / folder_of(page.host), page.host)
                hosts[page.host].add(_line(page))
                count += 1
    for each in hosts.values():
        each.finish()
    left_out = {
        "noindex, or another page is the canonical one": not_indexable,
        f"URL longer than {MAX_URL_LENGTH:,} characters": too_long,
    }
    return Written(count, "URLs", left_out)


def folder_of(host: str) -> str:
    """Return the folder name of a host, such as "https-a.example_8443" for "https://a.example:8443"."""
    scheme, _, authority = host.partition("://")
    return f"{scheme}-{re.sub(r'[^a-z0-9.-]', '_', authority)}"


def _line(page: PageRow) -> str:
    modified = _modified(page)
    lastmod = f"<lastmod>{modified}</lastmod>" if modified else ""
    return f"<url><loc>{escape(page.url, {chr(34): '&quot;', chr(39): '&apos;'})}</loc>{lastmod}</url>\n"


def _modified(page: PageRow) -> str | None:
    """Return the Last-Modified field if it is a date that is not later than the visit."""
    try:
        date = parsedate_to_datetime(page.last_modified or "")
        if date.tzinfo is None:
            date = date.replace(tzinfo=UTC)
        if page.fetched_at is None or date.timestamp() > page.fetched_at:
            return None
        return date.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ") if date.year >= 1970 else None
    except (ValueError, OverflowError):
        return None


FORMAT = FolderFormat(".sitemap", ("pages",), _write, r"https?-[a-z0-9._-]+(/sitemap(-\d+)?\.xml)?")
