"""Adds conditions such as site: to a query and removes them, for the links beside search results. Pure."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

from hinterland.search.query_language import CONDITIONS
from hinterland.search.query_words import QueryPart, left_out, parts_of


def narrowed(query: str, operator: str, value: str) -> str:
    """Return the query with one more condition; a site: condition replaces existing site: conditions.

    The condition is put first, where neither a NOT nor an unclosed quotation mark can reach it.
    """
    quoted = f'"{value}"' if re.search(r"\s", value) else value
    kept = _without(query, [part for part in _conditions(query) if operator == part.operator.lower() == "site"])
    return f"{operator}:{quoted} {kept}".strip()


def narrowed_by(query: str) -> list[tuple[str, str]]:
    """Return each condition as written, together with the query without it."""
    return [(query[part.begin : part.end], _without(query, [part])) for part in _conditions(query)]


def _conditions(query: str) -> Sequence[QueryPart]:
    """Return the conditions that pages have to meet, such as site:example.org; excluded ones are left out."""
    parts = parts_of(query)
    unwanted = left_out(parts)
    return [part for part in parts if part.operator.lower() in CONDITIONS and part.text and part.start not in unwanted]


def _without(query: str, unwanted: Collection[QueryPart]) -> str:
    """Return the query without some parts.

    With each part, the OR or AND before it is removed or, if the part is the first, the one after it.
    """
    kept = parts_of(query)
    for part in unwanted:
        place = kept.index(part)
        before, after = kept[:place], kept[place + 1 :]
        if before and _joins(before[-1]):
            before.pop()
        elif after and _joins(after[0]):
            del after[0]
        kept = before + after
    return " ".join(" ".join(query[part.begin : part.end] for part in kept).split())


def _joins(part: QueryPart) -> bool:
    return part.is_word and part.text in ("OR", "AND")
