"""Reads the references of a page or style sheet to resources, resolved against its base URL. Pure."""

from __future__ import annotations

from functools import lru_cache
from typing import Final

from hinterland.crawler.parsing.html.legacy_query import with_encoded_query
from hinterland.crawler.parsing.html.page_parts import PageParts
from hinterland.crawler.parsing.resources.elements import references_of
from hinterland.crawler.parsing.resources.page_tree import base_of, parts_of, tree_of
from hinterland.crawler.parsing.resources.references import (
    MAX_REFERENCES,
    ResourceKind,
    ResourceReference,
    Resources,
    Span,
)
from hinterland.crawler.parsing.resources.style_sheets import normalised, spans_of_css
from hinterland.crawler.urls.canonical import WEB, join
from hinterland.crawler.urls.resolving import directory_of, needs_whole_base

_UNICODE: Final = frozenset({"utf-8", "utf-16le", "utf-16be", "replacement"})
_REMEMBERED_ELEMENTS, _REMEMBERED_CHARACTERS = 5_000, 300
"""How many elements and addresses of earlier pages are cached: the pages of a site have most of them in common."""
_joined: Final = lru_cache(_REMEMBERED_ELEMENTS)(join)
_MOST_DOCUMENTS: Final = 100
"""The maximum number of documents inside a page (srcdoc) that are read, including nested ones."""


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
        url = (_resolved(href, base) or "").partition("#")[0]
        if not url.startswith(WEB) or (span.kind, url) in self._found:
            return
        if len(self._found) >= MAX_REFERENCES:
            self.left_out += 1
            return
        self._found[span.kind, url] = where

    def add_parts(self, parts: PageParts, base: str) -> list[tuple[str, str]]:
        """Add the references in `parts`; return the documents inside the page, each with its base URL."""
        self.left_out += parts.left_out
        inner = []
        for tag, attributes in parts.referring:
            pairs = tuple(attributes.items())
            is_short = sum(len(value) for _, value in pairs) <= _REMEMBERED_CHARACTERS
            for span in (_remembered_spans if is_short else _spans_of)(tag.lower(), pairs):
                self.add(span, base, span.where)
            if tag == "iframe" and (srcdoc := attributes.get("srcdoc")):
                inner.append((srcdoc, base))
        for style in parts.styles:
            for span in spans_of_css(normalised(style)):
                self.add(span, base, f"style {span.where}")
        return inner

    def result(self) -> Resources:
        references = [ResourceReference(kind, url, where) for (kind, url), where in self._found.items()]
        return Resources(references, self.left_out)


def resources_of_parts(parts: PageParts, base: str, charset: str) -> Resources:
    """Return the references of a page whose parts were read.

    Its references are relative to `base`. `charset` is the page's original encoding, in which queries are sent. Raises
    MemoryError if a document inside the page needs more memory than is available.
    """
    found = _Collection(charset)
    waiting = found.add_parts(parts, base)
    for number, (srcdoc, outer) in enumerate(waiting, 1):  # the list grows in the loop
        if number >= _MOST_DOCUMENTS:
            found.left_out += len(waiting) + 1 - number
            break
        tree = tree_of(srcdoc.encode("utf-8", "replace"))
        waiting += found.add_parts(parts_of(tree), base_of(tree, outer))
    return found.result()


def resources_of_page(html: bytes, url: str, charset: str = "utf-8") -> Resources:
    """Return the references of a page, given as HTML in UTF-8 with visible shadow roots (`HtmlSource.readable`).

    `url` is the page's URL, and `charset` its original encoding, in which queries are sent. Raises MemoryError if the
    page needs more memory than is available.
    """
    tree = tree_of(html)
    return resources_of_parts(parts_of(tree), base_of(tree, url), charset)


def resources_of_style_sheet(css: str, url: str) -> Resources:
    """Return the references of the style sheet at `url`."""
    found = _Collection("utf-8")
    for span in spans_of_css(normalised(css)):
        found.add(span, url, f"style {span.where}")
    return found.result()


def _resolved(href: str, base: str) -> str | None:
    if len(href) > _REMEMBERED_CHARACTERS:
        return join(href, base)
    return _joined(href, base if needs_whole_base(href) else directory_of(base))


def _spans_of(tag: str, attributes: tuple[tuple[str, str], ...]) -> list[Span]:
    return [span for attribute in references_of(tag, dict(attributes)) for span in attribute.spans]


_remembered_spans: Final = lru_cache(_REMEMBERED_ELEMENTS)(_spans_of)
