"""What the crawl learns from one HTML page: the values that a parser process returns."""

from __future__ import annotations

from enum import IntEnum
from typing import NamedTuple

import msgspec

from hinterland.crawler.parsing.html.packed_urls import PackedUrls


class LinkKind(IntEnum):
    """How one page refers to another. The numbers are stored: never change one."""

    A = 0
    AREA = 1
    FRAME = 2
    IFRAME = 3
    """<iframe>, and <object> and <embed>, which show pages as well."""
    CANONICAL = 4
    """<link rel=canonical>, or the same in a Link header."""
    NEXT = 5
    """<link rel=next>."""
    ALTERNATE = 6
    """<link rel=alternate>: translations, feeds; not alternate style sheets."""
    REFRESH = 7
    """<meta http-equiv=refresh>, or the same in a Refresh header."""
    REDIRECT = 8
    """An HTTP redirect: the crawl adds these, no page contains one."""


class VisibleText(NamedTuple):
    """The text of one page."""

    text: bytes
    """The visible text in UTF-8, with a space wherever an element begins or ends; white space as in the source."""
    headings: list[tuple[int, str]]
    """Level from 1 to 6, and text, in document order; bounded."""
    link_paths: list[str]
    """The elements around each link (see anchor_paths), "" for links other than <a>; empty unless asked for."""


class ParsedPage(msgspec.Struct, frozen=True, array_like=True):
    """What one page says.

    The links are four parallel columns, distinct by target and kind. Links to the page itself are left out, including
    fragment links.
    """

    charset: str
    """WHATWG name of the encoding that the page was read in, in lower case."""
    title: str
    description: str
    language: str
    """A BCP 47 tag as the page wrote it, or ""."""
    canonical: str | None
    """The URL that the page names as canonical; possibly its own."""
    link_urls: PackedUrls
    link_kinds: bytes
    """One LinkKind per link."""
    link_nofollow: bytes
    """1 where every such link says rel=nofollow, or the page does for all; else 0."""
    link_anchors: list[str]
    """The first anchor text that is not empty, white space collapsed, bounded."""
    bad_links: int
    """Distinct hrefs dropped because their URL is invalid or too long; mailto: and the like do not count."""
    nofollow: bool
    """The page asks that none of its links be followed."""
    noindex: bool
    """The page asks not to be shown in search results."""
    refresh_seconds: int | None = None
    """Delay of its refresh, even if that only reloads the page itself; None without one."""
    cut: dict[str, int] = {}
    """How many parts of the page were shortened or left out, by name (see page_bounds)."""
