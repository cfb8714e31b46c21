"""Lets style sheets match and show the addresses that a page had before it was rewritten. Pure.

Many sites mark links by their address: a[href^="http"] gets an arrow, a[href$=".pdf"] an icon. So the original value of
a replaced or removed attribute is kept in another attribute, which such a selector tests instead, with the same
specificity. Other sites write the address behind a link: content: attr(href). Such a function shows the kept attribute
instead. So links inside the page have the kept attribute, too, although their addresses are not replaced.
"""

from __future__ import annotations

import re
from typing import Final

from hinterland.crawler.parsing.resources.style_sheets import attribute_functions, square_brackets

KEPT: Final = {"href": "data-archived-href", "src": "data-archived-src"}
"""The attributes whose original value is kept, and the names under which it is kept."""

_MAY_TEST: Final = re.compile(r"\[\s*+(?:href|src)\s*+[~|^$*]?=", re.IGNORECASE)
_TEST: Final = re.compile(
    r"\[\s*+(href|src)\s*+([~|^$*]?=(?:[^\]\"'\\/]|\\.|/(?!\*)|\"(?:[^\"\\]|\\.)*+\"|'(?:[^'\\]|\\.)*+')*+)\]",
    re.IGNORECASE | re.DOTALL,
)
_SHOWN: Final = re.compile(r"(attr\(\s*+)href(?![\w|-])", re.IGNORECASE)


def with_original_values(css: str) -> str:
    """Return a normalised style sheet that tests and shows the original values of attributes, where there are any."""
    return _testing_originals(_showing_originals(css))


def _showing_originals(css: str) -> str:
    if not _SHOWN.search(css):
        return css
    parts: list[str] = []
    position = 0
    for place in attribute_functions(css):
        if shown := _SHOWN.match(css, place):
            parts += [css[position:place], shown[1], KEPT["href"]]
            position = shown.end()
    return "".join([*parts, css[position:]])


def _testing_originals(css: str) -> str:
    if not _MAY_TEST.search(css):
        return css
    parts: list[str] = []
    position = 0
    for place in square_brackets(css):
        test = _TEST.match(css, place)
        if test is None:
            continue
        kept = KEPT[test[1].lower()]
        unless = f":where(:not([{kept}]))"
        if not css.startswith(unless, test.end()):  # else it was replaced before
            parts += [css[position:place], f":is([{kept}{test[2]}],{test[0]}{unless})"]
            position = test.end()
    return "".join([*parts, css[position:]])
