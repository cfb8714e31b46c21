"""The headings of a page: their levels, their texts, and the anchors that lead to them.

`element_reader.c` reads headings in the same way in C.

An *anchor* is what follows "#" in a URL that leads to the heading: the id of the heading, of an element inside it, or
of an element that begins where the heading begins, such as the section around it.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, NamedTuple

import msgspec
from selectolax.lexbor import LexborNode

MAX_STEPS_TO_ANCHOR: Final = 8
"""How many nodes are searched for an anchor: first inside a heading, then before and around it."""


class Heading(NamedTuple):
    """A heading of a page."""

    level: int
    """The level, from 1 to 6."""
    text: str
    anchor: str = ""
    """What follows "#" in a URL that leads to the heading; "" if nothing leads there."""


def as_stored(headings: Iterable[Heading]) -> str:
    """Return headings as JSON for the store: a list of [level, text, anchor], or [level, text] without an anchor."""
    return msgspec.json.encode([each if each.anchor else each[:2] for each in headings]).decode()


def heading_anchor(heading: LexborNode) -> str:
    """Return the anchor of a heading, as the page has it; "" if it has none."""
    return _anchor_of(heading) or _anchor_inside(heading) or _anchor_before(heading)


def _anchor_inside(heading: LexborNode) -> str:
    for step, node in enumerate(heading.traverse(include_text=True)):
        if step > MAX_STEPS_TO_ANCHOR:
            break
        if node.is_element_node and step and (found := _anchor_of(node)):
            return found
    return ""


def _anchor_before(heading: LexborNode) -> str:
    """Return the anchor of an empty element before the heading, or of an element that begins with the heading."""
    node: LexborNode | None = heading
    for _ in range(MAX_STEPS_TO_ANCHOR):
        assert node is not None  # the loop has returned
        before = node.prev
        if before is None:
            node = node.parent
            if node is None or not node.is_element_node or node.tag == "body":
                return ""
            if found := _anchor_of(node):
                return found
            continue
        node = before
        if node.is_text_node:
            if node.text().strip():
                return ""
        elif node.is_element_node:
            inside = node.first_child
            if inside is not None and not inside.is_comment_node:
                return ""
            if found := _anchor_of(node):
                return found
    return ""


def _anchor_of(node: LexborNode) -> str:
    attributes = node.attributes
    if not attributes:
        return ""
    return attributes.get("id") or (attributes.get("name") if node.tag == "a" else "") or ""
