"""Relaxes a query that no page answers, by removing one kind of condition at a time. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from hinterland.search.answers import OtherQuery, QueryError
from hinterland.search.query_language import CONDITIONS, OPERATORS
from hinterland.search.query_words import QueryPart, left_out, parts_of


def wider_queries(query: str, pages_answering: Callable[[str], int]) -> tuple[OtherQuery, ...]:
    """Return the relaxed queries that pages answer, in descending order of the number of pages.

    Each relaxed query lacks one kind of condition: site:, lang:, since:, exclusions, quotation marks, title: or url:.
    """
    found = {text: _pages(text, pages_answering) for text in _without_one_kind(parts_of(query))}
    others = [OtherQuery(text, pages) for text, pages in found.items() if pages]
    return tuple(sorted(others, key=lambda each: -each.pages))


def _pages(query: str, pages_answering: Callable[[str], int]) -> int:
    try:
        return pages_answering(query)
    except QueryError:  # for example, nothing is left to search for
        return 0


def _without_one_kind(parts: Sequence[QueryPart]) -> Iterator[str]:
    kinds = _kinds(parts)
    for kind in dict.fromkeys(kinds):
        each = list(zip(parts, kinds, strict=True))
        if kind in CONDITIONS or kind == "-":
            yield " ".join(_written(part) for part, its in each if its != kind)
        elif kind:
            yield " ".join(part.text.strip() if its == kind else _written(part) for part, its in each)


def _kinds(parts: Sequence[QueryPart]) -> list[str]:
    """Return the kind of condition of each part: "-" for exclusions and the NOT before them, "" for words."""
    unwanted = left_out(parts)
    kinds = ["-" if part.dashes or part.start in unwanted else _kind(part) for part in parts]
    for place, part in enumerate(parts[:-1]):
        if part.is_word and part.text == "NOT" and kinds[place + 1] == "-":
            kinds[place] = "-"
    return kinds


def _kind(part: QueryPart) -> str:
    operator = part.operator.lower()
    if operator in OPERATORS:
        return operator
    return '"' if part.is_phrase and len(part.text.split()) > 1 else ""


def _written(part: QueryPart) -> str:
    text = f'"{part.text}"' if part.is_phrase else part.text
    return f"{part.dashes}{part.operator}:{text}" if part.operator else f"{part.dashes}{text}"
