"""Declarative shadow DOM (HTML Standard, 4.12.3): templates whose content a browser shows. Pure.

`<template shadowrootmode="open">` is the content of the element around it, while the content of other templates is not
shown. The HTML parser keeps both apart from the page, so here the shown ones become ordinary elements.
"""

from __future__ import annotations

import re
from typing import Final

_ATTRIBUTES: Final = rb"(?:[^>\"']++|\"[^\"]*\"|'[^']*'|[\"'])*+"
_PIECE: Final = re.compile(
    rb"<!--.*?(?:-->|\Z)"
    rb"|<(?P<raw>script|style|textarea|title|xmp|iframe|noembed|noframes)(?=[ \t\r\n\f/>])" + _ATTRIBUTES + rb">"
    rb".*?(?:</(?P=raw)(?=[ \t\r\n\f/>])|\Z)"
    rb"|<(?P<slash>/?)template(?=[ \t\r\n\f/>])(?P<attributes>" + _ATTRIBUTES + rb")>",
    re.DOTALL | re.IGNORECASE,
)
"""Comments and elements without markup are skipped; only the tags of templates matter."""
_ATTRIBUTE: Final = re.compile(
    rb"([^ \t\r\n\f\"'>/=]+)(?:[ \t\r\n\f]*=[ \t\r\n\f]*(?:\"([^\"]*)\"|'([^']*)'|([^ \t\r\n\f\"'>]+)))?"
)
_MARKS: Final = (b"shadowrootmode", b"shadowRootMode", b"ShadowRootMode", b"SHADOWROOTMODE")
"""How the attribute is written: searching for these takes a tenth of the time of a case-insensitive search."""
_ELEMENT: Final = b"shadow-root"
"""A name unknown to HTML, so that the element may be inside a paragraph."""


def with_shadow_roots(html: bytes) -> bytes:
    """Return `html` with templates that are shadow roots made elements; most pages are returned unchanged."""
    return shown_shadow_roots(html) if any(mark in html for mark in _MARKS) else html


def shown_shadow_roots(html: bytes) -> bytes:
    """Return the same as `with_shadow_roots`, for a page known to have some."""
    parts: list[bytes] = []
    open_templates: list[bool] = []  # whether each is a shadow root
    position, end = 0, html.rfind(b">") + 1
    while piece := _PIECE.search(html, position, end):
        parts.append(html[position : piece.start()])
        position = piece.end()
        if piece["attributes"] is None:
            parts.append(piece[0])
        elif piece["slash"]:
            is_root = bool(open_templates) and open_templates.pop()
            parts.append(b"</" + _ELEMENT + b">" if is_root else piece[0])
        else:
            is_root = _is_root(piece["attributes"])
            open_templates.append(is_root)
            parts.append(b"<" + _ELEMENT + b">" if is_root else piece[0])
    return b"".join([*parts, html[position:]])


def _is_root(attributes: bytes) -> bool:
    for name, double, single, bare in _ATTRIBUTE.findall(attributes):
        if name.lower() == b"shadowrootmode":
            return (double or single or bare).lower() in (b"open", b"closed")
    return False
