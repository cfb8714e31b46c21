"""The comparison of two versions of the search: typing errors, and the table."""

from __future__ import annotations

import random

from benchmarks.search_versions import lesser, misspelt, table
from hinterland.search.near_names import edits_between


def test_a_misspelt_title_has_one_error_in_a_long_word_or_none() -> None:
    for seed in range(50):
        wrong = misspelt("The ferry to Averna", random.Random(seed))
        assert edits_between(wrong, "The ferry to Averna") <= 1
        assert wrong.startswith("The ")
        assert " to " in wrong
    assert misspelt("An end", random.Random(1)) == "An end"


def test_the_table_compares_each_kind_and_all_queries() -> None:
    before = {"kinds": ["a", "a", "b"], "places": [1, 2, 0], "ms": [["a", 3.0], ["b", 5.0]], "bytes": {"terms": 2e6}}
    after = {**before, "places": [1, 1, 0], "bytes": {"terms": 3e6}}
    lines = table(before, after)
    assert lines[2].startswith("| 2 a | 0.750 | 1.000 | +0.250 ")
    assert lines[3].startswith("| 1 b | 0.000 | 0.000 | +0.000 ")
    assert lines[4].startswith("| 3 all | 0.500 | 0.667 |")
    assert lines[-1] == "terms: 2.0 MB before, 3.0 MB now"


def test_of_two_runs_the_lesser_time_of_each_query_counts() -> None:
    assert lesser([["a", 3.0], ["b", 5.0]], [("a", 4.0), ("b", 2.0)]) == [("a", 3.0), ("b", 2.0)]
