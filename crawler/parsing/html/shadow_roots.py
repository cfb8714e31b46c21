"""Handles declarative shadow DOM (HTML Standard, 4.12.3): templates whose content a browser shows. Pure.

`<template shadowrootmode="open">` holds the content of the element around it, while the content of other templates is
not shown. The HTML parser separates the content of all templates from the page, so the shown ones are turned into
ordinary elements here.
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
"""Comments and elements whose content is not markup, which are skipped, and the tags of templates."""
_ATTRIBUTE: Final = re.compile(
    rb"([^ \t\r\n\f\"'>/=]+)(?:[ \t\r\n\f]*=[ \t\r\n\f]*(?:\"([^\"]*)\"|'([^']*)'|([^ \t\r\n\f\"'>]+)))?"
)
_MARKS: Final = (b"shadowrootmode", b"shadowRootMode", b"ShadowRootMode", b"SHADOWROOTMODE")
"""The usual spellings of the attribute; searching for these takes a tenth of the time of a case-insensitive search."""
_ELEMENT: Final = b"shadow-root"
"""The name of the element that replaces a template; it is unknown to HTML, so it may be inside a paragraph."""


def with_shadow_roots(html: bytes) -> bytes:
    """Return `html` with templates that are shadow roots turned into elements; most pages are unchanged."""
    return shown_shadow_roots(html) if any(mark in html for mark in _MARKS) else html


def shown_shadow_roots(html: bytes) -> bytes:
    """Return what `with_shadow_roots` returns, for a page that is known to have shadow roots."""
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
