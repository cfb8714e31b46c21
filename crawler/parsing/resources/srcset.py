"""Reads the srcset attribute: candidates of one picture, each a URL with descriptors. Pure."""

from __future__ import annotations

import re
from typing import Final, NamedTuple

_SPACES: Final = " \t\n\f\r"
_URL: Final = re.compile(rf"[,{_SPACES}]*+([^{_SPACES}]++)")
_DESCRIPTORS: Final = re.compile(r"(?:[^(),]|\([^)]*+(?:\)|\Z)|\))*+")


class Candidate(NamedTuple):
    """A candidate in a srcset; `srcset[start:end]` is its URL."""

    url: str
    start: int
    end: int


def candidates(srcset: str) -> list[Candidate]:
    """Return the candidates in a srcset (HTML Standard, 4.8.4.2.2), including those with wrong descriptors."""
    found: list[Candidate] = []
    position = 0
    while (match := _URL.match(srcset, position)) is not None:
        url = match[1].rstrip(",")
        has_descriptors = len(url) == len(match[1])
        position = match.end()
        if has_descriptors and (descriptors := _DESCRIPTORS.match(srcset, position)) is not None:
            position = descriptors.end()
        if url:
            found.append(Candidate(url, match.start(1), match.start(1) + len(url)))
    return found
