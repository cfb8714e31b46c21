"""Reads the Link header field (RFC 8288), by which a server states links outside the page."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Final

_VALUE: Final = r"(?:\"((?:[^\"\\]|\\.)*)\"|([^\s;,\"]*))"
_PARAMETER: Final = re.compile(rf"\s*;\s*([^\s=;,]+)(?:\s*=\s*{_VALUE})?", re.DOTALL)
_TARGET: Final = re.compile(r"[\s,]*<([^>]*)>")
_NEXT_COMMA: Final = re.compile(r"[^,]*,")


def header_links(values: Iterable[str]) -> Iterator[tuple[str, frozenset[str]]]:
    """Yield the target and the lower-case relation types of each link in `values` whose context is this page."""
    for value in values:
        position = 0
        while position < len(value):
            target = _TARGET.match(value, position)
            if target is None:
                comma = _NEXT_COMMA.match(value, position)
                position = len(value) if comma is None else comma.end()
                continue
            parameters, position = _parameters(value, target.end())
            if "anchor" not in parameters:  # otherwise the link starts from another page
                yield target[1].strip(), frozenset(parameters.get("rel", "").lower().split())


def _parameters(value: str, position: int) -> tuple[dict[str, str], int]:
    parameters: dict[str, str] = {}
    while parameter := _PARAMETER.match(value, position):
        position = parameter.end()
        name, quoted, bare = parameter.groups()
        parameters.setdefault(name.lower(), quoted or bare or "")
    return parameters, position
