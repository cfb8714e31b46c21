"""A site as values: its pages and files, and what a server sends for them. Pure."""

from __future__ import annotations

import gzip
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from html import escape
from typing import Final
from urllib.parse import urlsplit

HTML: Final = "text/html; charset=utf-8"
FIELDS: Final = {
    "X-Content-Type-Options": "nosniff",
    "Content-Security-Policy": "default-src 'self' https:; frame-ancestors 'none'",
    "Strict-Transport-Security": "max-age=31536000",
    "Cache-Control": "max-age=600",
    "ETag": '"1"',
}
"""The header fields of a page in order."""
KEPT: Final = {"ETag": '"1"'}
"""Those of a file in order."""


@dataclass(frozen=True, slots=True)
class Reply:
    """What a server sends; `seconds` is how long it waits before."""

    status: int = 200
    body: bytes = b""
    content_type: str = HTML
    fields: Mapping[str, str] = field(default_factory=dict)
    seconds: float = 0.0


@dataclass(slots=True)
class SitePage:
    """A page of the site; faults are injected by changing it. Mutable.

    `heads` and `bodies` are further markup. `headings` are levels with texts. `is_listed` says that the sitemap of its
    host lists it.
    """

    url: str
    title: str
    description: str
    text: str
    headings: list[tuple[int, str]]
    links: list[str] = field(default_factory=list)
    canonical: str = ""
    language: str = "en"
    has_viewport: bool = True
    heads: list[str] = field(default_factory=list)
    bodies: list[str] = field(default_factory=list)
    fields: dict[str, str] = field(default_factory=lambda: dict(FIELDS))
    is_listed: bool = True
    is_compressed: bool = True
    seconds: float = 0.0

    def markup(self) -> str:
        """Return the page as HTML."""
        lang = f' lang="{self.language}"' if self.language else ""
        parts = [f"<!doctype html>\n<html{lang}><head><meta charset=utf-8>"]
        if self.title:
            parts.append(f"<title>{escape(self.title)}</title>")
        if self.description:
            parts.append(f'<meta name=description content="{escape(self.description)}">')
        if self.has_viewport:
            parts.append('<meta name=viewport content="width=device-width, initial-scale=1">')
        if self.canonical:
            parts.append(f'<link rel=canonical href="{escape(self.canonical)}">')
        parts += [*self.heads, "</head><body>"]
        for place, (level, text) in enumerate(self.headings):
            parts.append(f'<h{level} id="heading-{place}">{escape(text)}</h{level}>')
        parts.append(f"<p>{escape(self.text)}</p>")
        parts += self.bodies
        parts += [f'<a href="{escape(href)}">{escape(href.rpartition("/")[2] or href)}</a>' for href in self.links]
        return "\n".join([*parts, "</body></html>"])

    def reply(self) -> Reply:
        """Return what the server sends."""
        body = self.markup().encode()
        fields = dict(self.fields)
        if self.is_compressed:
            body, fields = gzip.compress(body, mtime=0), {**fields, "Content-Encoding": "gzip"}
        return Reply(200, body, HTML, fields, self.seconds)


@dataclass(slots=True)
class FaultySite:
    """Hosts with pages and files. Mutable.

    `home` is the host that is audited, by http; `secure` one by https, audited, too; `outside` one that is only
    linked. All are origins, such as "http://127.0.0.1:8000". `replies` are by URL. `certificate_days` is for how long
    the certificate of `secure` still holds.
    """

    home: str
    secure: str
    outside: str
    pages: dict[str, SitePage] = field(default_factory=dict)
    replies: dict[str, Reply] = field(default_factory=dict)
    listed: list[str] = field(default_factory=list)
    certificate_days: int = 60

    @property
    def seeds(self) -> list[str]:
        """The start pages of a crawl."""
        return [f"{self.home}/", f"{self.secure}/"]

    def add(self, page: SitePage) -> SitePage:
        """Add a page."""
        self.pages[page.url] = page
        return page

    def sent(self) -> dict[str, Reply]:
        """Return what the servers send for each URL that exists."""
        found = {**self.replies, **{url: page.reply() for url, page in self.pages.items()}}
        for host in (self.home, self.secure):
            listed = [url for url, page in self.pages.items() if page.is_listed] + self.listed
            own = [url for url in listed if url.startswith(f"{host}/")]
            found[f"{host}/sitemap.xml"] = Reply(200, _sitemap(own), "application/xml")
            rules = f"User-agent: *\nDisallow: /private/\nSitemap: {host}/sitemap.xml\n"
            found[f"{host}/robots.txt"] = Reply(200, rules.encode(), "text/plain")
        found[f"{self.outside}/robots.txt"] = Reply(200, b"User-agent: *\nDisallow: /private/\n", "text/plain")
        return found


def _sitemap(urls: Iterable[str]) -> bytes:
    entries = "".join(f"<url><loc>{escape(url)}</loc></url>" for url in urls)
    return f'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{entries}</urlset>'.encode()


def path_of(url: str) -> str:
    """Return the path of a URL, with its query."""
    parts = urlsplit(url)
    return parts.path + (f"?{parts.query}" if parts.query else "")
