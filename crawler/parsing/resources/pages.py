"""Reads the references of a page or style sheet to resources, resolved against its base URL. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
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
_REMEMBERED_ELEMENTS, _REMEMBERED_CHARACTERS = 5_000, 300
"""Elements and addresses of earlier pages that are remembered: the pages of a site have most of them in common."""
_joined: Final = lru_cache(_REMEMBERED_ELEMENTS)(join)
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
        url = (_joined if len(href) <= _REMEMBERED_CHARACTERS else join)(href, base) or ""
        url = url.partition("#")[0]
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
        lowered = document.lower()  # to search a tree for what is not there takes longer
        for span in _spans(its_tree, has_styles=b"<style" in lowered):
            found.add(span, base, span.where)
        if b"srcdoc" in lowered:
            waiting += [(inner.encode("utf-8", "replace"), base) for inner in _inner_documents(its_tree)]
    return found.result()


def resources_of_style_sheet(css: str, url: str) -> Resources:
    """Return the references of the style sheet at `url`."""
    found = _Collection("utf-8")
    for span in spans_of_css(normalised(css)):
        found.add(span, url, f"style {span.where}")
    return found.result()


def _spans(tree: Tree, *, has_styles: bool) -> Iterator[Span]:
    for node in referring_elements(tree):
        attributes = tuple(node.attributes.items())
        is_short = sum(len(value or "") for _, value in attributes) <= _REMEMBERED_CHARACTERS
        yield from (_remembered_spans if is_short else _spans_of)((node.tag or "").lower(), attributes)
    for node in tree.css("style") if has_styles else ():
        for span in spans_of_css(normalised(node.text())):
            yield span._replace(where=f"style {span.where}")


def _spans_of(tag: str, attributes: tuple[tuple[str, str | None], ...]) -> list[Span]:
    return [span for attribute in references_of(tag, dict(attributes)) for span in attribute.spans]


_remembered_spans: Final = lru_cache(_REMEMBERED_ELEMENTS)(_spans_of)


def _inner_documents(tree: Tree) -> list[str]:
    return [srcdoc for node in tree.css("iframe[srcdoc]") if (srcdoc := node.attributes.get("srcdoc"))]
