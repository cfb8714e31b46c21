"""Declarative shadow DOM (HTML Standard, 4.12.3): templates whose content a browser shows. Pure.

`<template shadowrootmode="open">` is the content of the element around it, while that of any other template is not
shown. The HTML parser here keeps both apart from the page, so the shown ones are made elements like others.
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
"""Comments and elements without markup in them are passed over; the tags of templates are what matters."""
_ATTRIBUTE: Final = re.compile(
    rb"([^ \t\r\n\f\"'>/=]+)(?:[ \t\r\n\f]*=[ \t\r\n\f]*(?:\"([^\"]*)\"|'([^']*)'|([^ \t\r\n\f\"'>]+)))?"
)
_MARKS: Final = (b"shadowrootmode", b"shadowRootMode", b"ShadowRootMode", b"SHADOWROOTMODE")
"""How it is written: to look for these takes a tenth of the time of a search that ignores case."""
_ELEMENT: Final = b"shadow-root"
"""Of no name that HTML knows, so it may stand in a paragraph."""


def with_shadow_roots(html: bytes) -> bytes:
    """`html` with the templates that are shadow roots made elements; for most pages `html` itself."""
    return shown_shadow_roots(html) if any(mark in html for mark in _MARKS) else html


def shown_shadow_roots(html: bytes) -> bytes:
    """As `with_shadow_roots`, for a page that is known to have some."""
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
