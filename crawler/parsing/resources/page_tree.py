"""The tree of a page, and where in it references to resources can be. Pure."""

from __future__ import annotations

from collections.abc import Iterator

from selectolax.lexbor import LexborHTMLParser, LexborNode, SelectolaxError

from hinterland.crawler.parsing.html.page_elements import DOCUMENT_OPTIONS
from hinterland.crawler.parsing.resources.elements import SELECTOR
from hinterland.crawler.urls.canonical import join

Tree = LexborHTMLParser


def tree_of(html: bytes) -> Tree:
    """Return the tree of a page. Raises MemoryError."""
    try:
        return LexborHTMLParser(html, options=DOCUMENT_OPTIONS)
    except SelectolaxError as error:  # any bytes have a tree, unless memory runs out
        raise MemoryError(str(error)) from error


def base_of(tree: Tree, url: str) -> str:
    """Return the URL against which a page's references resolve (HTML Standard, 2.4.3)."""
    for node in tree.css("base"):
        href = node.attributes.get("href")
        if href is not None:
            base = join(href, url)
            return url if base is None or base.startswith(("data:", "javascript:")) else base
    return url


def referring_elements(tree: Tree) -> Iterator[LexborNode]:
    """Yield each element that may have references in its attributes once."""
    seen: set[int] = set()
    for node in tree.css(SELECTOR):
        if node.mem_id not in seen:
            seen.add(node.mem_id)
            yield node
