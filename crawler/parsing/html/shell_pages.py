"""Which pages are shells: what they have to say is fetched by their scripts, so without a browser they say nothing.

A page is taken for one if all of this holds of its HTML as it was sent:

- it has scripts that a browser would run;
- it links to MOST_LINKS pages at most, and does not send its reader on by itself;
- and it shows nothing without them; or fewer than FEW_CHARACTERS characters, and an element of its body is empty, ready
  to be filled; or fewer than MOST_CHARACTERS, and its <noscript> asks for JavaScript.

Of 130,529 real pages of documentation, that holds for nine: three are shells, six whole pages about nothing. With
MOST_CHARACTERS for both kinds it would for 586, most of them short but whole.
"""

from __future__ import annotations

import re
from typing import Final

from selectolax.lexbor import LexborHTMLParser, LexborNode, SelectolaxError

from hinterland.crawler.parsing.html.page_elements import DOCUMENT_OPTIONS, collapsed
from hinterland.crawler.parsing.html.parsed_page import LinkKind, ParsedPage

MOST_LINKS: Final = 3
FEW_CHARACTERS: Final = 100
MOST_CHARACTERS: Final = 200

_LEADING: Final = bytes({LinkKind.A, LinkKind.AREA, LinkKind.FRAME, LinkKind.IFRAME, LinkKind.NEXT})
_SCRIPT: Final = re.compile(rb"<script[\s>/]", re.IGNORECASE)
_RUN: Final = re.compile(r"(text/|application/)(x-)?(java|ecma)script\b.*|module|", re.IGNORECASE)
"""The types of scripts that are run; others hold data."""
_UNSHOWN: Final = ("script", "style", "template", "noscript", "svg", "iframe", "audio", "video", "canvas", "title")
_CONTAINERS: Final = frozenset({"div", "main", "section", "article", "span", "ul", "ol", "table", "tbody", "nav"})


def may_be_shell(page: ParsedPage, html: bytes) -> bool:
    """Whether it is worth a closer look, by `is_shell`; the answer costs almost nothing."""
    if page.refresh_seconds is not None or len(page.link_kinds) > 100:
        return False
    return sum(map(page.link_kinds.count, _LEADING)) <= MOST_LINKS and _SCRIPT.search(html) is not None


def is_shell(html: bytes) -> bool:
    """Whether a page that may be one is a shell. html: in UTF-8. Builds a tree of its own, and takes it apart."""
    try:
        tree = LexborHTMLParser(html, options=DOCUMENT_OPTIONS)
    except SelectolaxError as error:
        raise MemoryError(str(error)) from error
    if not any(map(_is_run, tree.css("script"))):
        return False
    asks = any("javascript" in node.text().lower() for node in tree.css("noscript"))
    tree.strip_tags(list(_UNSHOWN))
    if tree.body is None:
        return False
    shown = len(collapsed(tree.body.text(separator=" ")))
    if asks or shown >= FEW_CHARACTERS:
        return asks and shown < MOST_CHARACTERS
    return shown == 0 or any(map(_is_empty_container, tree.body.traverse()))


def _is_run(script: LexborNode) -> bool:
    return _RUN.fullmatch((script.attributes.get("type") or "").strip()) is not None


def _is_empty_container(node: LexborNode) -> bool:
    """An element that a script may fill: a usual one, or one of the page's own making. Comments may stand in it."""
    tag = node.tag or ""
    if tag not in _CONTAINERS and not ("-" in tag and tag[0].isalpha()):
        return False
    child = node.first_child
    while child is not None and (child.tag == "_comment" or (child.tag == "-text" and not child.text().strip())):
        child = child.next
    return child is None
