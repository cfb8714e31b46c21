"""Saved queries: a TOML file that can be shared. Pure.

[[query]]
name = "New ferries"
ask = "ferry since:30d"
order = "date"                      # the latest first; without it by score
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
    """The saved queries are invalid; the message names the faulty query and how to fix it."""


@dataclass(frozen=True, slots=True)
class SavedQuery:
    """A named query; `order` is one of ORDERS."""

    name: str
    ask: str
    order: str = ""


def read_queries(text: str) -> Sequence[SavedQuery]:
    """Parse the text of a file of saved queries, in its order.

    Raises BadQueries.
    """
    try:
        given = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise BadQueries(f"not valid TOML: {error}") from None
    queries = given.get("query", [])
    if set(given) - {"query"} or not isinstance(queries, list):
        raise BadQueries("the file may only hold queries; each begins with the line [[query]]")
    if len(queries) > MOST_QUERIES:
        raise BadQueries(f"{len(queries)} queries; the limit is {MOST_QUERIES}")
    return [_query(place, each) for place, each in enumerate(queries, 1)]


def _query(place: int, given: Any) -> SavedQuery:
    if not isinstance(given, dict) or set(given) - {"name", "ask", "order"}:
        raise BadQueries(f"[[query]] {place} may only have name, ask and order")
    for key, longest in _LONGEST.items():
        value = given.get(key)
        if not isinstance(value, str) or not value.strip() or len(value) > longest:
            raise BadQueries(f"{key} of [[query]] {place} has to be a string of 1 to {longest} characters")
    order = given.get("order", "")
    if order not in ORDERS:
        raise BadQueries(f"order of {given['name']} is {order!r}; it has to be one of {', '.join(map(repr, ORDERS))}")
    try:
        understand(given["ask"], now=0.0)
    except QueryError as error:
        raise BadQueries(f"query {given['name']!r} is invalid: {error}") from None
    return SavedQuery(given["name"].strip(), given["ask"].strip(), order)
