"""Distinguishes a page's own content from menus, footers and advertisements. Pure."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from selectolax.lexbor import LexborHTMLParser, LexborNode

from hinterland.crawler.parsing.blocks.text_blocks import text_nodes
from hinterland.crawler.parsing.html.page_elements import DOCUMENT_OPTIONS, ROLES, tokens

_AROUND_TAGS: Final = frozenset({"nav", "footer", "aside", "dialog"})
_AROUND_ROLES: Final = frozenset(
    {"navigation", "banner", "contentinfo", "complementary", "search", "dialog", "alert", "status", "timer"}
)
_UNSEEN_TAGS: Final = frozenset({*ROLES["hidden"], *ROLES["frame"], *ROLES["title"], "head"})
"""Elements whose text is not part of the page's text; see `page_elements`."""
_AROUND_NAMES: Final = re.compile(
    r"(?:^|[-_ ])(?<!\bfor[-_])(?<!\bhas[-_])(?<!\bwith[-_])(?<!\bno[-_])"
    r"(?:nav|navbar|navigation|menu|[a-z]*sidebar|sidenav|toc|breadcrumbs?|footer|masthead|topbar|toolbar|pager"
    r"|ad|ads|advert|adverts|advertisement|advertising|adsense|sponsor|sponsored|promo|promoted|banner|cookies?|consent"
    r"|newsletter|subscribe|share|rel|relbar|sharing|social|related|recommended|trending|popular|recent|partners?|widgets?|weather|ratings?|popup|modal|visitors?|counter|hits|clock"
    r"|rev-?date|revision-date|last-?mod(?:ified)?|last-?update[ds]?|(?:mod(?:ified|ification)?|update[ds]?)-(?:date|time|on|at)"
    r"|ad(?:slot|unit|box|zone|space|wrap|wrapper|container|content|banner|block|frame)s?|adsby[a-z]*|carbonads?|dfp"
    r"|taboola|outbrain|criteo|doubleclick|ethical-ad|mgid|revcontent|zergnet)(?:$|[-_ ])",
    re.IGNORECASE,
)
"""Classes and ids of elements that are not content: words common to readability heuristics since Arc90's (2009), names
of advertisements common to block lists, and names for the date of the last revision. Names such as "for-nav" (Read the
Docs theme) and "has-sidebar" do not match, since they describe the layout of the page.
"""
_TABS: Final = re.compile(r"(?:^|[-_ ])tabs(?:$|[-_ ])", re.IGNORECASE)
"""A list with such a name holds the labels of tabs; another element with such a name may hold their content."""
_HEADED_TAGS: Final = frozenset({"section", "h1", "h2", "h3", "h4", "h5", "h6", "dt"})
"""Elements whose ids come from headings. Such an id says nothing about regions: a heading may well be "Navigation"."""
_WORD: Final = re.compile(r"\S+")
_CAMELS: Final = re.compile(r"(?<=[a-z])(?=[A-Z])")
_LISTS: Final = frozenset({"ul", "ol"})
_ABOVE_ALL: Final = frozenset({"html", "body", "main", "article"})
"""Elements that contain the content, whatever their classes say."""
_MAIN: Final = "main, [role=main], [itemprop=articleBody], [itemprop=mainContentOfPage]"
"""An element that contains one of these contains the main content."""


@dataclass(frozen=True, slots=True)
class RegionWords:
    """The visible words of a page in order, each with a flag: 1 for content, 0 for surroundings.

    `hrefs` holds the hrefs of the links in the content, as written; `base` is the href of a <base>, if there is one.
    """

    words: Sequence[str]
    is_content: bytes
    hrefs: Sequence[str] = ()
    base: str | None = None

    @staticmethod
    def of_text(text: str) -> RegionWords:
        """Return the words of a text without regions, all as content."""
        words = text.split()
        return RegionWords(words, b"\1" * len(words))


def region_words(html: bytes) -> RegionWords:
    """Return the words of a page by region; `html` is UTF-8 and bounded.

    The words are the same as in the text that `page_elements` reads, in the same order. Classes and ids are ignored if
    they mark the whole page as surroundings.
    """
    root = LexborHTMLParser(html, options=DOCUMENT_OPTIONS).root
    if root is None:
        return RegionWords((), b"")
    found = _read(root, heeds_names=True)
    return found if not found.words or 1 in found.is_content else _read(root, heeds_names=False)


def _read(root: LexborNode, *, heeds_names: bool) -> RegionWords:
    hrefs: list[str] = []
    base: str | None = None
    inside: dict[int, int | None] = {}  # for each element: 1 content, 0 around it, None not visible
    body: LexborNode | None = None
    for node in root.traverse():
        parent = node.parent
        place = 1 if parent is None else inside.get(parent.mem_id, 1)
        if node.tag == "body" and body is None:
            body = node
        if place is not None:
            place = _place(node, place, heeds_names=heeds_names)
        inside[node.mem_id] = place
        if node.tag == "base" and base is None:
            base = node.attributes.get("href")
        if place and node.tag == "a" and (href := node.attributes.get("href")):
            hrefs.append(href.strip())
    words, flags = _words(body, inside)
    return RegionWords(words, flags, hrefs, base)


def _words(body: LexborNode | None, inside: Mapping[int, int | None]) -> tuple[list[str], bytes]:
    """Return the words of the text with their flags. The element in which a word begins decides its flag."""
    if body is None:
        return [], b""
    page, nodes, starts = text_nodes(body, _UNSEEN_TAGS)
    data = page.text
    if not nodes:
        return [], b""
    places = bytearray()  # one byte for each character
    for node, (start, end) in zip(nodes, pairwise([*starts, len(data)]), strict=True):
        place = None if node.parent is None else inside.get(node.parent.mem_id, 1)
        places += bytes((place or 0,)) * len(data[start:end].decode())
    found = list(_WORD.finditer(data.decode()))
    return [word[0] for word in found], bytes(places[word.start()] for word in found)


def _place(node: LexborNode, outer: int, *, heeds_names: bool) -> int | None:
    tag = node.tag or ""
    if tag in _UNSEEN_TAGS:
        return None
    if not outer or tag in _AROUND_TAGS:
        return 0
    if tag in _ABOVE_ALL:
        return outer
    attributes = node.attributes
    if not attributes:
        return outer
    if (attributes.get("role") or "").lower() in _AROUND_ROLES:
        return 0
    if any(name.startswith("data-ad-") for name in attributes) or "sponsored" in tokens(attributes.get("rel")):
        return 0
    if not heeds_names:
        return outer
    classes, name = attributes.get("class") or "", attributes.get("id") or ""
    names = classes if tag in _HEADED_TAGS or "section" in classes.split() else f"{classes} {name}"
    if not names or not _is_around(tag, _CAMELS.sub("-", names)):
        return outer
    return outer if node.css_first(_MAIN) is not None else 0


def _is_around(tag: str, names: str) -> bool:
    """Return whether classes and ids say that an element is not content."""
    return _AROUND_NAMES.search(names) is not None or (tag in _LISTS and _TABS.search(names) is not None)
