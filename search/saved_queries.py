"""Queries that are asked again and again: a file of them, which can be shared. Pure.

[[query]]
name = "New ferries"
ask = "ferry since:30d"
order = "date"                      # the latest first; without it the best
"""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from hinterland.search.answers import ORDERS, QueryError
from hinterland.search.query_language import understand

MOST_QUERIES: Final = 100
_LONGEST: Final = {"name": 100, "ask": 500}


class BadQueries(Exception):
    """Queries that cannot be used; the message names the one that is wrong and the way out."""


@dataclass(frozen=True, slots=True)
class SavedQuery:
    """order: one of ORDERS."""

    name: str
    ask: str
    order: str = ""


def read_queries(text: str) -> Sequence[SavedQuery]:
    """In the order of the file. Raises BadQueries."""
    try:
        given = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise BadQueries(f"they are no TOML: {error}") from None
    queries = given.get("query", [])
    if set(given) - {"query"} or not isinstance(queries, list):
        raise BadQueries("they hold more than [[query]]; each query begins with that line")
    if len(queries) > MOST_QUERIES:
        raise BadQueries(f"they are {len(queries)}; {MOST_QUERIES} are the most")
    return [_query(place, each) for place, each in enumerate(queries, 1)]


def _query(place: int, given: Any) -> SavedQuery:
    if not isinstance(given, dict) or set(given) - {"name", "ask", "order"}:
        raise BadQueries(f"[[query]] {place} may have name, ask and order, and nothing else")
    for key, longest in _LONGEST.items():
        value = given.get(key)
        if not isinstance(value, str) or not value.strip() or len(value) > longest:
            raise BadQueries(f"{key} of [[query]] {place} has to be a text of 1 to {longest} characters")
    order = given.get("order", "")
    if order not in ORDERS:
        raise BadQueries(f"order of {given['name']} is {order!r}; it has to be one of {', '.join(map(repr, ORDERS))}")
    try:
        understand(given["ask"], now=0.0)
    except QueryError as error:
        raise BadQueries(f"{given['name']} cannot be asked: {error}") from None
    return SavedQuery(given["name"].strip(), given["ask"].strip(), order)
