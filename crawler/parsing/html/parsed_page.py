"""The values that a parser process returns about one HTML page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import IntEnum
from typing import NamedTuple

import msgspec

from hinterland.crawler.parsing.html.headings import Heading
from hinterland.crawler.parsing.html.packed_urls import PackedUrls
from hinterland.crawler.parsing.html.page_parts import NO_PARTS, PageParts


class LinkKind(IntEnum):
    """How one page refers to another. The numbers are stored and must never change."""

    A = 0
    AREA = 1
    FRAME = 2
    IFRAME = 3
    """<iframe>, and <object> and <embed>, which can also show pages."""
    CANONICAL = 4
    """<link rel=canonical>, or the equivalent in a Link header."""
    NEXT = 5
    """<link rel=next>."""
    ALTERNATE = 6
    """<link rel=alternate>: translations, feeds; not alternate style sheets."""
    REFRESH = 7
    """<meta http-equiv=refresh>, or a Refresh header."""
    REDIRECT = 8
    """An HTTP redirect, which the crawl adds; no page contains one."""


class VisibleText(NamedTuple):
    """The text of one page."""

    text: bytes
    """The visible text in UTF-8: blocks separated by empty lines, see blocks/text_blocks."""
    headings: list[Heading]
    """The headings, in document order; bounded."""
    link_paths: list[str]
    """The path of elements around each link (see anchor_paths), "" for links other than <a>; empty unless requested."""
    main: bytes = b""
    """Which blocks of the text are the main content, see blocks/main_blocks; b"" if unknown."""
    metadata: Sequence[tuple[str, str]] = ()
    """The name, in lower case, and the content of each meta element that has both; not bounded."""
    elements: Sequence[tuple[str, Mapping[str, str]]] = ()
    """The names and attributes of elements that say something about the page, see PageElements.named; not bounded."""
    parts: PageParts = NO_PARTS
    """What the page loads, and its anchors; nothing unless requested."""


class ParsedPage(msgspec.Struct, frozen=True, array_like=True):
    """The content of one page.

    The links are in four parallel columns, distinct by target and kind. Links to the page itself, including fragment
    links, are left out.
    """

    charset: str
    """The WHATWG name of the page's encoding, in lower case."""
    title: str
    description: str
    language: str
    """The page's language, a BCP 47 tag as written, or ""."""
    canonical: str | None
    """The URL that the page names as canonical, possibly its own; None if it names none."""
    link_urls: PackedUrls
    link_kinds: bytes
    """The LinkKind of each link, one byte each."""
    link_nofollow: bytes
    """A byte for each link: 1 if all its occurrences have rel=nofollow or the whole page is nofollow, else 0."""
    link_anchors: list[str]
    """For each link, its first anchor text that is not empty; white space collapsed, bounded."""
    bad_links: int
    """How many distinct hrefs were dropped as invalid or too long; mailto: and the like do not count."""
    nofollow: bool
    """Whether the page asks robots not to follow any of its links."""
    noindex: bool
    """Whether the page asks not to be shown in search results."""
    refresh_seconds: int | None = None
    """The delay of the page's refresh, even if that only reloads the page itself; None without a refresh."""
    cut: dict[str, int] = {}
    """How many parts of the page were shortened or left out, by the name of the part (see page_bounds)."""
