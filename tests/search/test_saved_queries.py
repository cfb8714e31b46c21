"""What a file of saved queries may hold."""

from __future__ import annotations

import pytest

from hinterland.search.saved_queries import BadQueries, SavedQuery, read_queries


def test_queries_are_read_in_their_order() -> None:
    text = '[[query]]\nname = "B"\nask = "ferry since:30d"\norder = "date"\n[[query]]\nname = "A"\nask = "lamp"\n'
    assert read_queries(text) == [SavedQuery("B", "ferry since:30d", "date"), SavedQuery("A", "lamp")]
    assert read_queries("") == []


@pytest.mark.parametrize(
    "text, complaint",
    [
        ("[[query]", "not valid TOML"),
        ("x = 1", "the file may only hold queries"),
        ("query = 1", "the file may only hold queries"),
        ("query = [1]", "may only have name"),
        ('[[query]]\nname = "A"\nask = "x"\nevery = 1', "name, ask and order"),
        ('[[query]]\nname = "A"', "ask of .* 1 to 500"),
        ('[[query]]\nname = " "\nask = "x"', "name of"),
        ('[[query]]\nname = "A"\nask = "x"\norder = "best"', "order of A is 'best'"),
        ('[[query]]\nname = "A"\nask = "since:yesterday"', "query 'A' is invalid: .*yesterday"),
        ('[[query]]\nname = "A"\nask = "x"\n' * 101, "101 queries; the limit is 100"),
    ],
)
def test_what_is_wrong_is_named(text: str, complaint: str) -> None:
    with pytest.raises(BadQueries, match=complaint):
        read_queries(text)
