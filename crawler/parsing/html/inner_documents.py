"""Reads documents inside a page: `<iframe srcdoc="...">`. Pure.

Such a document has no URL of its own, so its text and links count as the page's.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from hinterland.crawler.parsing.blocks.main_blocks import BETWEEN_BLOCKS, joined_runs
from hinterland.crawler.parsing.html.page_bounds import Truncations
from hinterland.crawler.parsing.html.page_elements import ElementsReader, PageElements
from hinterland.crawler.parsing.html.shadow_roots import with_shadow_roots
from hinterland.crawler.urls.canonical import join

MOST_DOCUMENTS: Final = 100
"""The maximum number of documents read in a page, including nested ones. Each needs a tree of its own."""
_DEEPEST: Final = 4
_HREF: Final = {"area": "href", "frame": "src", "iframe": "src", "object": "data", "embed": "src"}
"""The elements whose links are read, each with the attribute that holds the link."""

_Named = list[tuple[str, dict[str, str]]]


def with_inner_documents(
    elements: PageElements,
    read: ElementsReader,
    base: str,
    cuts: Truncations,
    *,
    max_anchors: int,
    with_text: bool,
    with_paths: bool,
) -> PageElements:
    """Return the `elements` of a page, followed by the elements of the documents inside the page.

    `base` is the URL that the page's hrefs are relative to.
    """
    waiting = [(srcdoc, base, 1) for srcdoc in _documents_in(elements.named)]
    if not waiting:
        return elements
    found = [elements]
    for number, (srcdoc, outer, depth) in enumerate(waiting):  # the list grows in the loop
        if number >= MOST_DOCUMENTS:
            cuts.note("documents", len(waiting) - number)
            break
        room = max(max_anchors - sum(len(each.hrefs) for each in found), 0)
        inner, inner_base = _read(srcdoc, outer, read, max_anchors=room, with_text=with_text)
        found.append(inner)
        if depth < _DEEPEST:
            waiting += [(each, inner_base, depth + 1) for each in _documents_in(inner.named)]
    return _joined(found, with_paths=with_paths)


def _documents_in(named: _Named) -> list[str]:
    return [attributes["srcdoc"] for tag, attributes in named if tag == "iframe" and attributes.get("srcdoc")]


def _read(
    srcdoc: str, outer: str, read: ElementsReader, *, max_anchors: int, with_text: bool
) -> tuple[PageElements, str]:
    """Return the elements of a document, with hrefs rewritten to be valid in the page, and the document's base URL."""
    html = with_shadow_roots(srcdoc.encode("utf-8", "replace"))
    elements = read(html, max_anchors=max_anchors, with_text=with_text, with_paths=False)
    own = next((each["href"] for tag, each in elements.named if tag == "base" and "href" in each), "")
    base = (join(own, outer) or outer) if own else outer
    leading = [(tag, each) for tag, each in elements.named if each.get(_HREF.get(tag, "")) or "srcdoc" in each]
    places = [place for place, href in enumerate(elements.hrefs) if href]  # an empty href leads to the document itself
    inner = replace(
        elements,
        hrefs=[_resolved(elements.hrefs[place], base) for place in places],
        nofollow=bytes(elements.nofollow[place] for place in places),
        anchor_texts=[elements.anchor_texts[place] for place in places],
        named=[(tag, _with_href(tag, each, base)) for tag, each in leading],
    )
    return inner, base


def _with_href(tag: str, attributes: dict[str, str], base: str) -> dict[str, str]:
    name = _HREF[tag]
    return {**attributes, name: _resolved(attributes[name], base)} if attributes.get(name) else attributes


def _resolved(href: str, base: str) -> str:
    return join(href, base) or href


def _joined(parts: list[PageElements], *, with_paths: bool) -> PageElements:
    first = parts[0]
    return replace(
        first,
        hrefs=[href for each in parts for href in each.hrefs],
        nofollow=b"".join(each.nofollow for each in parts),
        anchor_texts=[text for each in parts for text in each.anchor_texts],
        anchor_paths=first.anchor_paths + [""] * (with_paths * sum(len(each.hrefs) for each in parts[1:])),
        headings=[
            *first.headings,
            *(heading._replace(anchor="") for each in parts[1:] for heading in each.headings),  # not of the page
        ],
        text=BETWEEN_BLOCKS.encode().join(each.text for each in parts if each.text),
        main=joined_runs([each.main for each in parts if each.text]),
        named=[element for each in parts for element in each.named],
        anchors_left_out=sum(each.anchors_left_out for each in parts),
        headings_left_out=sum(each.headings_left_out for each in parts),
    )
