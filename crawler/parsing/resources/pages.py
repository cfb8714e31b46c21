"""Reads the references of a page or style sheet to resources, resolved against its base URL. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from hinterland.crawler.parsing.html.legacy_query import with_encoded_query
from hinterland.crawler.parsing.resources.elements import references_of
from hinterland.crawler.parsing.resources.page_tree import Tree, base_of, referring_elements, tree_of
from hinterland.crawler.parsing.resources.references import (
    MAX_REFERENCES,
    ResourceKind,
    ResourceReference,
    Resources,
    Span,
)
from hinterland.crawler.parsing.resources.style_sheets import normalised, spans_of_css
from hinterland.crawler.urls.canonical import WEB, join

_UNICODE: Final = frozenset({"utf-8", "utf-16le", "utf-16be", "replacement"})
_MOST_DOCUMENTS: Final = 100
"""How many documents inside a page (srcdoc) are read, nested ones included."""


class _Collection:
    """The references found so far, distinct by kind and URL. Mutable."""

    def __init__(self, charset: str) -> None:
        self._legacy_charset = None if charset in _UNICODE else charset
        self.left_out = 0
        self._found: dict[tuple[ResourceKind, str], str] = {}

    def add(self, span: Span, base: str, where: str) -> None:
        href = span.url
        if self._legacy_charset is not None and not href.isascii():
            href = with_encoded_query(href, self._legacy_charset)
        url = (join(href, base) or "").partition("#")[0]
        if not url.startswith(WEB) or (span.kind, url) in self._found:
            return
        if len(self._found) >= MAX_REFERENCES:
            self.left_out += 1
            return
        self._found[span.kind, url] = where

    def result(self) -> Resources:
        references = [ResourceReference(kind, url, where) for (kind, url), where in self._found.items()]
        return Resources(references, self.left_out)


def resources_of_page(html: bytes, url: str, charset: str = "utf-8", tree: Tree | None = None) -> Resources:
    """Return the references of a page, given as HTML in UTF-8 with visible shadow roots (`HtmlSource.readable`).

    `url` is the page's URL, and `charset` its original encoding, in which queries are sent. `tree` is the page's tree,
    if it is there already. Raises MemoryError if the page needs more memory than is available.
    """
    found = _Collection(charset)
    waiting = [(html, url)]
    for number, (document, outer) in enumerate(waiting):  # the list grows in the loop
        if number >= _MOST_DOCUMENTS:
            found.left_out += len(waiting) - number
            break
        its_tree = tree if tree is not None and not number else tree_of(document)
        base = base_of(its_tree, outer)
        for span in _spans(its_tree):
            found.add(span, base, span.where)
        waiting += [(inner.encode("utf-8", "replace"), base) for inner in _inner_documents(its_tree)]
    return found.result()


def resources_of_style_sheet(css: str, url: str) -> Resources:
    """Return the references of the style sheet at `url`."""
    found = _Collection("utf-8")
    for span in spans_of_css(normalised(css)):
        found.add(span, url, f"style {span.where}")
    return found.result()


def _spans(tree: Tree) -> Iterator[Span]:
    for node in referring_elements(tree):
        for attribute in references_of((node.tag or "").lower(), node.attributes):
            yield from attribute.spans
    for node in tree.css("style"):
        for span in spans_of_css(normalised(node.text())):
            yield span._replace(where=f"style {span.where}")


def _inner_documents(tree: Tree) -> list[str]:
    return [srcdoc for node in tree.css("iframe[srcdoc]") if (srcdoc := node.attributes.get("srcdoc"))]
