"""The tree of a page, and the places in it that can refer to resources. Pure."""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping
from html import escape

from selectolax.lexbor import LexborHTMLParser, LexborNode, SelectolaxError

from hinterland.crawler.parsing.html.meta_refresh import refresh_target
from hinterland.crawler.parsing.html.page_elements import DOCUMENT_OPTIONS
from hinterland.crawler.parsing.html.page_parts import NO_PARTS, PageParts, read_parts
from hinterland.crawler.urls.canonical import join

Tree = LexborHTMLParser
Node = LexborNode


def tree_of(html: bytes) -> Tree:
    """Return the tree of a page. Raises MemoryError."""
    try:
        return LexborHTMLParser(html, options=DOCUMENT_OPTIONS)
    except SelectolaxError as error:  # any bytes give a tree, unless memory runs out
        raise MemoryError(str(error)) from error


def base_of(tree: Tree, url: str) -> str:
    """Return the URL against which a page's references resolve."""
    return base_among((("base", node.attributes) for node in tree.css("base")), url)


def base_among(elements: Iterable[tuple[str, Mapping[str, str | None]]], url: str) -> str:
    """Return the URL against which the references of a page with these elements resolve (HTML Standard, 2.4.3)."""
    for tag, attributes in elements:
        if tag == "base" and "href" in attributes:
            base = join(attributes["href"] or "", url)
            return url if base is None or base.startswith(("data:", "javascript:")) else base
    return url


def refresh_of(tree: Tree, url: str) -> tuple[int, str] | None:
    """Return after how many seconds a page at `url` refreshes, and the URL it goes to; None if it does not."""
    for node in tree.css("meta[http-equiv]"):
        if (node.attributes.get("http-equiv") or "").lower() == "refresh":
            found = refresh_target(node.attributes.get("content") or "")
            if found is not None and (target := join(found[1], base_of(tree, url))) is not None:
                return found[0], target
    return None


def parts_of(tree: Tree) -> PageParts:
    """Return what a page loads and where it links to, as PageParts."""
    return NO_PARTS if tree.root is None else read_parts(tree.root)


def elements_of(tree: Tree) -> list[Node]:
    """Return all elements, parents first, without the content of templates."""
    return [] if tree.root is None else [node for node in tree.root.traverse() if node.is_element_node]


def remove(tree: Tree, tags: Container[str]) -> int:
    """Remove all elements of these names, in lower case, with their content; return how many."""
    found = [node for node in reversed(elements_of(tree)) if (node.tag or "").lower() in tags]
    for node in found:  # inner elements come first
        node.decompose()
    return len(found)


def set_css(node: Node, css: str) -> None:
    """Replace the text of a <style> element. In a drawing, such text is read as markup."""
    parent = node.parent
    while parent is not None and parent.tag not in ("svg", "math"):
        parent = parent.parent
    node.inner_html = css if parent is None else escape(css, quote=False)


def written(tree: Tree) -> bytes:
    """Return a tree as HTML in UTF-8."""
    return (tree.html or "").encode("utf-8", "replace")
