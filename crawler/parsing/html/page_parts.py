"""Collects what a page loads, its anchors, and its links with a "#", for readers that need these parts. Pure.

These parts are found in the same walk as links and text. A second search of the tree would take longer than everything
else that is done with a page.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from selectolax.lexbor import LexborHTMLParser, LexborNode

MAX_PARTS: Final = 50_000
"""The maximum number of referring elements that are read from a page."""

REFERRING: Final = (
    *("img", "input", "video", "audio", "source", "track", "script", "iframe", "frame", "object", "embed", "image"),
    *("feimage", "link"),
)
"""USE, and the elements that may refer to resources, whatever attributes they have."""
USE: Final = "use"
"""Lexbor knows this element only by name: its number differs between documents, and is not below UNKNOWN."""
UNKNOWN: Final = 1024
REFERRING_ATTRIBUTES: Final = ("background", "data-bg", "data-background-image", "data-poster")
"""The attributes by which any element may refer to a resource; a style does so if it contains a parenthesis."""
DATA_TYPE: Final = "application/ld+json"
"""The type of scripts that are structured data."""

Elements = list[tuple[str, dict[str, str]]]


@dataclass(frozen=True, slots=True)
class PageParts:
    """Parts of a page in document order.

    `ids` are the anchors to which links can lead: ids, and names of <a>; none is empty, but some may be repeated.
    `fragment_hrefs` are the hrefs of <a> and <area> that contain a "#", as written. `referring` are the names and
    attributes of elements that may refer to resources, and `left_out` counts such elements beyond MAX_PARTS. `styles`
    are the texts of <style> elements, and `data` the texts of JSON-LD scripts.
    """

    ids: list[str] = field(default_factory=list)
    fragment_hrefs: list[str] = field(default_factory=list)
    referring: Elements = field(default_factory=list)
    styles: list[str] = field(default_factory=list)
    data: list[str] = field(default_factory=list)
    left_out: int = 0


NO_PARTS: Final = PageParts()


def read_parts(root: LexborNode) -> PageParts:
    """Return the parts below the root of a page, in the same way as the walk in C."""
    parts, left_out = PageParts(), 0
    for node in root.traverse():
        if not node.is_element_node:
            continue
        tag, attributes = node.tag_id, {name: value or "" for name, value in node.attributes.items()}
        _add_places(parts, tag, attributes)
        if tag == _STYLE:
            parts.styles.extend(filter(None, [node.text()]))
        if tag == _SCRIPT and _is_data(attributes.get("type", "")):
            parts.data.append(node.text())
        if _may_refer(tag, attributes) or (tag >= UNKNOWN and node.tag == USE):
            if len(parts.referring) < MAX_PARTS:
                parts.referring.append((node.tag or "", attributes))
            else:
                left_out += 1
    return PageParts(parts.ids, parts.fragment_hrefs, parts.referring, parts.styles, parts.data, left_out)


def _add_places(parts: PageParts, tag: int, attributes: Mapping[str, str]) -> None:
    for name, value in attributes.items():
        if name == "id" or (name == "name" and tag == _ANCHOR):
            parts.ids.extend(filter(None, [value]))
        elif name == "href" and tag in (_ANCHOR, _AREA) and "#" in value:
            parts.fragment_hrefs.append(value)


def _may_refer(tag: int, attributes: Mapping[str, str]) -> bool:
    return (
        tag in _REFERRING_TAGS
        or "(" in attributes.get("style", "")
        or any(name in attributes for name in REFERRING_ATTRIBUTES)
    )


def _is_data(content_type: str) -> bool:
    return content_type.strip(" \t\n\f\r").lower() == DATA_TYPE


def tag_number(tag: str) -> int:
    """Return Lexbor's number of an element."""
    return _factory.create_node(tag).tag_id


_factory: Final = LexborHTMLParser("")
_REFERRING_TAGS: Final = frozenset(map(tag_number, REFERRING))
_ANCHOR, _AREA, _STYLE, _SCRIPT = map(tag_number, ("a", "area", "style", "script"))
