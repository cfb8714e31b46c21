"""How long lookups take, and what came of them."""

from __future__ import annotations

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from hinterland.crawler.fetching.flow.lookup_record import LookupAnswer, LookupRecord, LookupsNow


def test_a_lookup_takes_as_long_as_half_of_the_last_ones() -> None:
    record = LookupRecord()
    for host in range(5):
        record.begins(host, 0.0)
        record.ends(host, LookupAnswer.FOUND, 1.0 + host)
    assert record.at(5.0).seconds == 3.0


def test_lookups_that_never_end_are_slow_before_they_end() -> None:
    record = LookupRecord()
    record.begins(1, 0.0)
    record.ends(1, LookupAnswer.FOUND, 0.1)
    for host in range(2, 9):
        record.begins(host, 0.0)
    assert record.at(7.0).seconds == 7.0


def test_old_lookups_say_nothing_of_now() -> None:
    record = LookupRecord()
    record.begins(0, 0.0)
    record.ends(0, LookupAnswer.SILENT, 10.0)
    assert (record.at(20.0).last, record.at(20.0).silent) == (1, 1)
    assert record.at(1000.0) == LookupsNow(unanswered=1)


def test_what_needed_no_lookup_is_not_counted() -> None:
    record = LookupRecord()
    record.begins(0, 0.0)
    record.ends(0, None, 0.0)
    assert record.at(0.0) == LookupsNow()


@given(st.lists(st.tuples(st.integers(0, 9), st.sampled_from(LookupAnswer)), max_size=60))
def test_each_name_is_counted_once_by_what_came_of_its_last_lookup(ended: list[tuple[int, LookupAnswer]]) -> None:
    record, last = LookupRecord(), dict[int, LookupAnswer]()
    for host, answer in ended:
        record.begins(host, 0.0)
        record.ends(host, answer, 1.0)
        last[host] = answer
    now, counts = record.at(1.0), Counter(last.values())
    assert now.found == counts[LookupAnswer.FOUND]
    assert now.dead == counts[LookupAnswer.DEAD]
    assert now.unanswered == counts[LookupAnswer.FAILED] + counts[LookupAnswer.SILENT]
    assert now.last == min(len(ended), 20)


def test_names_that_failed_before_say_nothing_of_how_long_lookups_take() -> None:
    record = LookupRecord()
    record.begins(0, 0.0)
    record.ends(0, LookupAnswer.FOUND, 0.1)
    for number in range(1, 4):
        record.begins(number, 1.0)
        record.ends(number, LookupAnswer.SILENT, 11.0)
        record.begins(number, 12.0)
    assert record.at(20.0).seconds == 0.1
