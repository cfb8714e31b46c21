"""Recognises shell pages: pages whose content is fetched by scripts, so that they are empty without a browser.

A page counts as a shell if all of this is true of its HTML as sent:

- It has scripts that a browser would run.
- It links to at most MOST_LINKS pages, and does not redirect its reader.
- Without scripts, it shows nothing; or it shows fewer than FEW_CHARACTERS characters and has an empty element in its
  body that scripts can fill; or it shows fewer than MOST_CHARACTERS characters and its <noscript> asks for JavaScript.

Of 130,529 real pages of documentation, nine match: three are shells, six are complete pages with hardly any content.
With MOST_CHARACTERS in place of FEW_CHARACTERS, 586 would match, most of them short but complete.
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
"""The types of scripts that browsers run; scripts of other types hold data."""
_UNSHOWN: Final = ("script", "style", "template", "noscript", "svg", "iframe", "audio", "video", "canvas", "title")
_CONTAINERS: Final = frozenset({"div", "main", "section", "article", "span", "ul", "ol", "table", "tbody", "nav"})


def may_be_shell(page: ParsedPage, html: bytes) -> bool:
    """Return whether a page should be checked with `is_shell`; this costs almost nothing."""
    if page.refresh_seconds is not None or len(page.link_kinds) > 100:
        return False
    return sum(map(page.link_kinds.count, _LEADING)) <= MOST_LINKS and _SCRIPT.search(html) is not None


def is_shell(html: bytes) -> bool:
    """Return whether a page that may be a shell is one. `html` is UTF-8; a second tree is built from it."""
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
    """Return whether an element is a common container or a custom element with only comments inside."""
    tag = node.tag or ""
    if tag not in _CONTAINERS and not ("-" in tag and tag[0].isalpha()):
        return False
    child = node.first_child
    while child is not None and (child.tag == "_comment" or (child.tag == "-text" and not child.text().strip())):
        child = child.next
    return child is None
