"""A query that no page answers is asked again without one kind of condition."""

from __future__ import annotations

import pytest

from hinterland.search.answers import QueryError
from hinterland.search.widening import wider_queries


@pytest.mark.parametrize(
    "query, wider",
    [
        ("ferry site:a.example lang:de", {"ferry lang:de", "ferry site:a.example"}),
        ("ferry -bus -lamp", {"ferry"}),
        ("ferry NOT bus NOT (lamp keeper) boat", {"ferry boat"}),
        ("ferry NOT site:a.example boat lang:de", {"ferry boat lang:de", "ferry NOT site:a.example boat"}),
        ('ferry NOT "slow boat"', {"ferry"}),
        ('"slow ferry" boat', {"slow ferry boat"}),
        ("title:ferry boat", {"ferry boat"}),
        ('title:"slow ferry"', {"slow ferry"}),
        ("ferry since:2026", {"ferry"}),
        ("ferry boat", set()),
    ],
)
def test_each_kind_of_condition_is_left_out_once(query: str, wider: set[str]) -> None:
    assert {other.query for other in wider_queries(query, lambda _: 1)} == wider


def test_those_that_pages_answer_are_named_the_most_first() -> None:
    pages = {"ferry lang:de": 3, "ferry site:a.example": 7, "ferry site:a.example lang:de -x": 0}
    found = wider_queries("ferry site:a.example lang:de", lambda query: pages[query])
    assert [(other.query, other.pages) for other in found] == [("ferry site:a.example", 7), ("ferry lang:de", 3)]


def test_a_query_of_which_nothing_would_be_left_is_not_offered() -> None:
    def refused(query: str) -> int:
        raise QueryError(f"nothing to look for in {query!r}")

    assert wider_queries("site:a.example", refused) == ()
