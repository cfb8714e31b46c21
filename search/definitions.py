"""Finds the identifiers that a page defines, and identifiers in texts about the page, such as link texts. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from html import unescape
from itertools import islice
from typing import Final

from hinterland.search.store.values.spellings import defined_spellings, spelling_of, spellings

MOST_NAMES: Final = 5_000
"""Maximum number of names of one page. Among 6,880 documentation pages, the longest list, of a server's settings, has
1,229 terms."""

_LONGEST_TERM: Final = 1_500
_LONGEST_ID: Final = 200
_BEGIN: Final = re.compile(r"<dt\b", re.IGNORECASE)
_END: Final = re.compile(r"</?d[tdl]\b", re.IGNORECASE)
_ID: Final = re.compile(rf"\sid\s*=\s*[\"']?([^\s\"'>]{{1,{_LONGEST_ID}}})", re.IGNORECASE)
_TAG: Final = re.compile(r"<[^<>]*>")
_NUMBER: Final = re.compile(r"^(?:\d+\.)+\s+")
_AFTER_NAME: Final = re.compile(r"[(=<\[:,]")


def names_of_headings(headings: Iterable[str]) -> list[str]:
    """Return the distinct identifiers to which a heading is devoted.

    An example is the heading `fs.readFile(path[, options], callback)`.
    """
    found: dict[str, None] = {}
    for heading in headings:
        name, bracket, _ = _NUMBER.sub("", heading[:_LONGEST_TERM].strip()).partition("(")
        if spelling_of(f"{name}(" if bracket else name):
            found.update(dict.fromkeys(defined_spellings(name)))
    return list(found)[:MOST_NAMES]


def names_in(texts: Iterable[str]) -> list[str]:
    """Return the distinct identifiers in texts, such as link texts; at most MOST_NAMES."""
    return list(islice(dict.fromkeys(name for text in texts for name in spellings(text)), MOST_NAMES))


def defined_names(html: str) -> list[str]:
    """Return the distinct identifiers that <dt> elements define, at most MOST_NAMES.

    Reference manuals list their terms in <dt> elements. Identifiers are taken from the id of the element, such as
    `asyncio.gather`, and from its text up to a bracket, such as `awaitable asyncio.gather(*aws)` or `--amend`.
    """
    found: dict[str, None] = {}
    for term in islice(_terms(html), MOST_NAMES):
        for name in term:
            found.update(dict.fromkeys(defined_spellings(name)))
        if len(found) >= MOST_NAMES:
            break
    return list(found)[:MOST_NAMES]


def _terms(html: str) -> Iterator[list[str]]:
    begins = [match.end() for match in islice(_BEGIN.finditer(html), MOST_NAMES)]
    for begin in begins:
        piece = html[begin : begin + _LONGEST_TERM]
        if end := _END.search(piece):
            piece = piece[: end.start()]
        tag, _, inner = piece.partition(">")
        named = _ID.search(tag)
        text = " ".join(unescape(_TAG.sub("", inner)).split())
        yield [*([unescape(named[1])] if named else []), *_names_in(text)]


def _names_in(text: str) -> list[str]:
    head = _AFTER_NAME.split(text, maxsplit=1)[0].strip()
    return [head] if head else []
