"""Reads links from JSON about pages: WAT records, and lines of CDXJ. Pure.

WAT is what Common Crawl derives from its WARC files: https://commoncrawl.org, "Web Archive Transformation". A line of
CDXJ counts if its object has "links": a list of URLs, or of objects with "url" and, if known, "text", "rel", "path".
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from typing import Any

import msgspec

from hinterland.crawler.parsing.html.directives import page_directives
from hinterland.crawler.parsing.html.meta_refresh import refresh_target
from hinterland.crawler.parsing.html.packed_urls import PackedUrls
from hinterland.crawler.parsing.html.page_bounds import (
    MAX_DESCRIPTION_CHARACTERS,
    MAX_LINKS,
    MAX_TITLE_CHARACTERS,
    Truncations,
)
from hinterland.crawler.parsing.html.page_elements import tokens
from hinterland.crawler.parsing.html.page_links import PageLinks
from hinterland.crawler.parsing.html.parsed_page import LinkKind, ParsedPage
from hinterland.crawler.urls.canonical import join
from hinterland.crawler.urls.resolving import LinkResolver
from hinterland.library.importing.items import ArchivedLinks, ArchiveItem, Skipped

_KIND_OF_PATH = {
    "a": LinkKind.A,
    "area": LinkKind.AREA,
    "frame": LinkKind.FRAME,
    "iframe": LinkKind.IFRAME,
}
"""The element in the path of a link ("A@/href") -> kind; images, scripts and forms are not links."""
_ROUGH_DATE = re.compile(r"(\d{4})(-\d\d)?")
_REQUIRED = "no usable URL, date or status"


def archive_time(date: str) -> float | None:
    """Return the epoch seconds of a WARC-Date ("2026-11-21T08:34:00.5Z") or of 14 digits; None if it is neither.

    WARC 1.1 permits a date with only a year, a month or a day. The result is the beginning of this period.
    """
    digits = date if date.isascii() and date.isdigit() and len(date) == 14 else None
    if rough := _ROUGH_DATE.fullmatch(date.strip()):
        date = f"{rough[1]}{rough[2] or '-01'}-01"
    try:
        if digits is not None:
            return datetime.strptime(digits, "%Y%m%d%H%M%S").replace(tzinfo=UTC).timestamp()
        parsed = datetime.fromisoformat(date.strip())
        return (parsed if parsed.tzinfo is not None else parsed.replace(tzinfo=UTC)).timestamp()
    except (ValueError, OverflowError):
        return None


class LinkDataReader:
    """Reads pages from WAT records and CDXJ lines. All sizes are bounded."""

    def __init__(self, resolver: LinkResolver, agent: str, max_links: int = MAX_LINKS) -> None:
        """Take a resolver, the maximum number of links per page, and the name of the crawler in robots directives."""
        self._resolver = resolver
        self._max_links = max_links
        self._agent = agent

    def wat(self, block: bytes, url: str, date: str) -> ArchiveItem:
        """Read one metadata record of a WAT file. `url` and `date` are from its WARC header."""
        envelope = _object(_json(block), "Envelope")
        response = _object(_object(envelope, "Payload-Metadata"), "HTTP-Response-Metadata")
        if not response:
            return Skipped("metadata", "not about an HTTP response")
        warc = _object(envelope, "WARC-Header-Metadata")
        fields = {name.lower(): value for name, value in _object(response, "Headers").items()}
        html = _object(response, "HTML-Metadata")
        head = _object(html, "Head")
        page_url = self._resolver.canonicaliser.canonical(_text(warc.get("WARC-Target-URI")) or url)
        at = archive_time(_text(warc.get("WARC-Date")) or date)
        status = _number(_object(response, "Response-Message").get("Status"))
        if page_url is None or at is None or status is None:
            return Skipped("metadata", _REQUIRED)
        page = self._page(
            page_url,
            base=_text(head.get("Base")),
            title=_text(head.get("Title")),
            metas=[each for each in _list(head.get("Metas")) if isinstance(each, dict)],
            links=[*_list(html.get("Links")), *({**each, "path": "LINK@/href"} for each in _objects(head.get("Link")))],
            robots=_texts(fields.get("x-robots-tag")),
        )
        content_type = ", ".join(_texts(fields.get("content-type"))) or None
        return ArchivedLinks(page_url, at, status, page, content_type, next(iter(_texts(fields.get("location"))), None))

    def cdxj(self, line: bytes) -> ArchiveItem | None:
        """Read one line of an index; None if it is empty or a header."""
        parts = line.strip().split(b" ", 2)
        if not parts[0] or line.startswith(b"!"):
            return None
        fields = _mapping(_json(parts[2])) if len(parts) == 3 else {}
        if not isinstance(fields.get("links"), list):
            return Skipped("index line", "no links in it")
        url = self._resolver.canonicaliser.canonical(_text(fields.get("url")))
        at = archive_time(parts[1].decode("ascii", "replace"))
        status = _number(fields.get("status", "200"))
        if url is None or at is None or status is None:
            return Skipped("index line", _REQUIRED)
        links = [{"url": each} if isinstance(each, str) else each for each in _list(fields["links"])]
        page = self._page(url, base="", title=_text(fields.get("title")), metas=[], links=links, robots=[])
        content_type, location = _text(fields.get("mime")), _text(fields.get("redirect"))
        return ArchivedLinks(url, at, status, page, content_type or None, location or None)

    def _page(
        self,
        url: str,
        *,
        base: str,
        title: str,
        metas: Iterable[Mapping[str, Any]],
        links: Iterable[object],
        robots: list[str],
    ) -> ParsedPage:
        description, refresh = "", None
        for meta in metas:
            name, content = _text(meta.get("name")).lower(), _text(meta.get("content"))
            if name in ("robots", self._agent.lower()):
                robots = [*robots, content]
            elif name == "description":
                description = description or _collapsed(content)
            if _text(meta.get("http-equiv")).lower() == "refresh" and refresh is None:
                refresh = refresh_target(content)
        directives = page_directives(robots, self._agent)
        start = self._resolver.canonicaliser.canonical(join(base, url) or url) if base else None
        found = PageLinks(
            url, start or url, "utf-8", self._resolver, nofollow=directives.nofollow, max_links=self._max_links
        )
        canonical = None
        for link in links:
            if isinstance(link, dict):
                canonical = self._add(found, link) or canonical
        if refresh is not None:
            found.add(LinkKind.REFRESH, refresh[1])
        cuts = Truncations()
        cuts.note("links", found.left_out)
        return ParsedPage(
            charset="",
            title=cuts.text("title", _collapsed(title), MAX_TITLE_CHARACTERS),
            description=cuts.text("description", description, MAX_DESCRIPTION_CHARACTERS),
            language="",
            canonical=canonical,
            link_urls=PackedUrls.of(found.urls),
            link_kinds=bytes(found.kinds),
            link_nofollow=bytes(found.nofollow),
            link_anchors=found.bounded_anchors(cuts),
            bad_links=found.bad,
            nofollow=directives.nofollow,
            noindex=directives.noindex,
            cut=cuts.counts,
        )

    def _add(self, found: PageLinks, link: dict[str, Any]) -> str | None:
        """Add one link. If it declares the canonical URL of the page, return this URL."""
        href, relations = _text(link.get("url")), tokens(_text(link.get("rel")))
        element = _text(link.get("path", "A")).partition("@")[0].lower()
        if element != "link":
            kind = _KIND_OF_PATH.get(element)
            if kind is not None and href:
                anchor = _collapsed(_text(link.get("text")) or _text(link.get("alt")))
                found.add(kind, href, nofollow="nofollow" in relations, anchor=anchor)
            return None
        if "next" in relations:
            found.add(LinkKind.NEXT, href)
        if "alternate" in relations and "stylesheet" not in relations:
            found.add(LinkKind.ALTERNATE, href)
        return found.add(LinkKind.CANONICAL, href) if "canonical" in relations and href else None


def _json(data: bytes) -> object:
    try:
        return msgspec.json.decode(data)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None


def _mapping(value: object) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _object(value: object, name: str) -> dict[str, Any]:
    return _mapping(_mapping(value).get(name))


def _list(value: object) -> list[Any]:
    return value if isinstance(value, list) else []


def _objects(value: object) -> list[dict[str, Any]]:
    return [each for each in _list(value) if isinstance(each, dict)]


def _text(value: object) -> str:
    """Return a string without lone surrogates. JSON may contain lone surrogates, but a store cannot hold them."""
    return value.encode("utf-8", "replace").decode() if isinstance(value, str) else ""


def _texts(value: object) -> list[str]:
    return [_text(each) for each in (value if isinstance(value, list) else [value]) if isinstance(each, str)]


def _number(value: object) -> int | None:
    text = str(value) if isinstance(value, int | str) else ""
    return int(text) if len(text) == 3 and text.isascii() and text.isdigit() else None


def _collapsed(text: str) -> str:
    return " ".join(text.split())
