"""What a query that no page answers asks for beside its words, and how many pages there are without that. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from crawler.apps.search.answers import OtherQuery, QueryError
from crawler.apps.search.query_words import QueryPart, parts_of

_CONDITIONS = ("site", "lang", "since", "type", "year", "topic", "title", "url")


def wider_queries(query: str, pages_answering: Callable[[str], int]) -> tuple[OtherQuery, ...]:
    """The query without its site:, its lang:, its since:, what it excludes, its quotation marks, its title: or url:,
    one kind at a time, where pages answer that; the most first."""
    found = {text: _pages(text, pages_answering) for text in _without_one_kind(parts_of(query))}
    others = [OtherQuery(text, pages) for text, pages in found.items() if pages]
    return tuple(sorted(others, key=lambda each: -each.pages))


def _pages(query: str, pages_answering: Callable[[str], int]) -> int:
    try:
        return pages_answering(query)
    except QueryError:  # such as that nothing is left
        return 0


def _without_one_kind(parts: Sequence[QueryPart]) -> Iterator[str]:
    for kind in dict.fromkeys(map(_kind, parts)):
        if kind in (*_CONDITIONS[:-2], "-"):
            yield " ".join(_written(part) for part in parts if _kind(part) != kind)
        elif kind:
            yield " ".join(part.text.strip() if _kind(part) == kind else _written(part) for part in parts)


def _kind(part: QueryPart) -> str:
    """Which condition it is; "" for a word."""
    if part.dashes:
        return "-"
    operator = part.operator.lower()
    if operator in _CONDITIONS:
        return operator
    return '"' if part.is_phrase and len(part.text.split()) > 1 else ""


def _written(part: QueryPart) -> str:
    text = f'"{part.text}"' if part.is_phrase else part.text
    return f"{part.dashes}{part.operator}:{text}" if part.operator else f"{part.dashes}{text}"
