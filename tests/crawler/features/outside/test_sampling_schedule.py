"""When rounds of the hinterland are due, and how many pages outside may be admitted."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from hinterland.crawler.features.outside.budget import HinterlandBudget
from hinterland.crawler.features.outside.sampling_schedule import SamplingSchedule, most_urgent
from hinterland.crawler.features.outside.settings import HinterlandSettings
from hinterland.crawler.features.outside.statistics import SamplingPhase
from hinterland.crawler.settings import SettingsError


def hinterland(budget: str = "10", *, local: int = 10, **settings: Any) -> SamplingSchedule:
    made = SamplingSchedule(HinterlandSettings(budget=budget, **settings))
    for _ in range(local):
        made.crawled()
        made.fetched_local()
    return made


def go_round(
    made: SamplingSchedule, chosen: list[int], *, is_idle: bool = False, change: float | None = None
) -> list[int]:
    """One round that chooses these pages; those that may be admitted at once."""
    made.begin_round(is_idle=is_idle)
    made.begin_estimate()
    made.estimated(change, None, made.outside_fetched)
    made.end_round(chosen)
    pages = made.take_chosen(1000)
    made.admitted(pages)
    return pages


def fetch(made: SamplingSchedule, *pages: int) -> None:
    for page in pages:
        made.begins(page)
        made.crawled()
        made.ended(page, is_fetched=True)


@pytest.mark.parametrize(
    "text, pages",
    [("0", 0), ("500", 500), ("1_000", 1000), ("1.0", 40), (".5", 20), ("2n", 80), ("1.5n", 60), ("1.", 40)],
)
def test_a_budget_is_a_number_of_pages_or_a_multiple_of_the_local_ones(text: str, pages: int) -> None:
    assert HinterlandBudget.parse(text).of(40) == pages


@pytest.mark.parametrize("text", ["", "-1", "one", "1.0x", "n", "1e3"])
def test_a_budget_that_is_neither_is_refused_with_what_to_write(text: str) -> None:
    with pytest.raises(SettingsError, match=r"hinterland\.budget"):
        HinterlandSettings(budget=text)


def test_a_budget_as_a_multiple_grows_with_the_domain() -> None:
    made = hinterland("2n", local=5)
    assert made.budget == 10
    made.fetched_local()
    assert made.budget == 12


def test_the_first_round_waits_until_the_domain_is_crawled() -> None:
    made = hinterland()
    assert not made.is_due(is_idle=False)
    assert made.is_due(is_idle=True)
    assert made.begin_round(is_idle=True) == 1
    assert made.phase is SamplingPhase.HINTERLAND


def test_a_domain_of_which_nothing_was_fetched_has_no_hinterland() -> None:
    assert not hinterland(local=0).is_due(is_idle=True)


def test_a_twenty_fifth_of_the_budget_is_chosen_at_a_time_unless_said() -> None:
    assert hinterland("1000").batch == 40
    assert hinterland("30").batch == 2
    assert hinterland("1000", refresh_pages=7).batch == 7


def test_the_next_round_is_due_when_no_more_wait_than_are_in_flight() -> None:
    made = hinterland("100", refresh_pages=4)
    go_round(made, [1, 2, 3, 4, 5, 6], is_idle=True)
    fetch(made, 1, 2, 3)
    assert not made.is_due(is_idle=False)
    made.begins(4)
    assert not made.is_due(is_idle=False)
    made.begins(5)
    assert made.is_due(is_idle=False)
    assert made.begin_round(is_idle=False) == 4
    assert not made.is_due(is_idle=False), "one at a time"


def test_no_round_is_due_before_half_of_the_last_one_have_ended() -> None:
    made = hinterland("100", refresh_pages=4)
    go_round(made, [1, 2, 3, 4], is_idle=True)
    for page in (1, 2, 3, 4):
        made.begins(page)
    made.ended(1, is_fetched=False)
    assert not made.is_due(is_idle=False)
    made.ended(2, is_fetched=False)
    assert made.is_due(is_idle=False)


def test_the_next_round_is_due_when_as_many_were_fetched_since_the_last_one_began() -> None:
    made = hinterland("100", refresh_pages=2)
    go_round(made, [1, 2], is_idle=True)
    made.admitted([3, 4, 5, 6, 7])  # targets of redirects, say
    fetch(made, 1)
    assert not made.is_due(is_idle=False)
    fetch(made, 2)
    assert made.is_due(is_idle=False)


def test_pages_to_be_tried_later_and_those_at_dead_hosts_do_not_hold_up_the_next_round() -> None:
    made = hinterland("100", refresh_pages=10)
    go_round(made, [1, 2, 3, 4, 5, 6, 7, 8], is_idle=True)
    fetch(made, 5, 6, 7, 8)
    for page in (1, 2):
        made.begins(page)
        made.put_off(page)
    assert not made.is_due(is_idle=False)
    made.put_aside([3, 4])
    assert made.is_due(is_idle=False)


def test_never_are_more_pages_admitted_than_the_budget_has_places() -> None:
    made = hinterland("5", refresh_pages=3)
    assert go_round(made, [1, 2, 3], is_idle=True) == [1, 2, 3]
    made.begins(1)
    made.begins(2)
    assert made.begin_round(is_idle=False) == 2
    made.end_round([4, 5, 6])
    assert made.take_chosen(1000) == [4, 5]


def test_a_page_that_turns_out_to_be_no_page_leaves_its_place_to_another() -> None:
    made = hinterland("2", refresh_pages=2)
    go_round(made, [1, 2], is_idle=True)
    fetch(made, 1)
    assert made.room == 0
    made.crawled()
    made.ended(2, is_fetched=False)
    assert made.room == 1
    assert made.is_due(is_idle=True)


def test_a_page_at_a_host_that_fails_leaves_its_place_to_another() -> None:
    made = hinterland("2", refresh_pages=2)
    go_round(made, [1, 2], is_idle=True)
    made.put_aside([1, 77])
    assert made.room == 1
    fetch(made, 2)
    assert made.is_due(is_idle=False)
    assert go_round(made, [3]) == [3]
    assert made.room == 0


def test_a_page_put_aside_gets_its_place_back_when_it_is_visited_if_one_is_left() -> None:
    made = hinterland("2")
    go_round(made, [1, 2], is_idle=True)
    made.put_aside([1])
    assert made.begins(1)
    assert made.room == 0


def test_a_page_whose_place_was_taken_is_withdrawn_and_the_budget_not_exceeded() -> None:
    made = hinterland("2", refresh_pages=2)
    go_round(made, [1, 2], is_idle=True)
    made.put_aside([1])
    go_round(made, [3])
    assert not made.begins(1)
    fetch(made, 2, 3)
    assert made.outside_fetched == made.budget
    assert made.statistics("").waiting == 0


def test_a_page_that_is_being_visited_keeps_its_place_though_its_host_fails() -> None:
    made = hinterland("2")
    go_round(made, [1, 2], is_idle=True)
    assert made.begins(1)
    made.put_aside([1, 2])
    assert made.room == 1


def test_a_round_of_pages_at_dead_hosts_has_taught_all_it_can() -> None:
    made = hinterland("100", refresh_pages=4)
    go_round(made, [1, 2, 3, 4], is_idle=True)
    made.put_aside([1, 2, 3])
    assert not made.is_due(is_idle=False), "page 4 may still come"
    made.put_aside([4])
    assert made.is_due(is_idle=False)


def test_when_only_pages_at_dead_hosts_are_left_and_no_place_there_is_nothing_to_wait_for() -> None:
    made = hinterland("2", refresh_pages=2)
    go_round(made, [1, 2], is_idle=True)
    made.put_aside([1])
    fetch(made, 2)
    assert not made.has_only_pages_aside, "it has a place to itself"
    go_round(made, [3])
    assert not made.has_only_pages_aside
    fetch(made, 3)
    assert made.has_only_pages_aside


def test_a_page_that_was_withdrawn_is_news_to_choose_from() -> None:
    made = hinterland("1")
    go_round(made, [1], is_idle=True)
    made.put_aside([1])
    go_round(made, [2], is_idle=True)
    assert not made.begins(1)
    made.begins(2)
    made.ended(2, is_fetched=False)
    assert made.is_due(is_idle=True)


def test_when_the_budget_is_used_up_no_round_is_due_any_more() -> None:
    made = hinterland("1")
    go_round(made, [1], is_idle=True)
    fetch(made, 1)
    assert not made.is_due(is_idle=True)
    assert made.lacks_estimate


def test_when_nothing_new_was_learnt_and_there_is_no_candidate_no_round_is_due() -> None:
    made = hinterland()
    go_round(made, [], is_idle=True)
    assert not made.is_due(is_idle=True)
    made.crawled()
    assert made.is_due(is_idle=True)


def test_with_a_share_pages_outside_come_as_the_domain_is_crawled() -> None:
    made = hinterland("100", local=4, share=0.25, refresh_pages=8)
    assert made.is_due(is_idle=False)
    assert go_round(made, [1, 2, 3, 4]) == [1]
    for _ in range(2):
        made.fetched_local()
    assert made.take_chosen(1000) == [2]
    made.admitted([2])
    assert made.take_chosen(1000) == []


def test_when_the_domain_is_crawled_the_share_holds_no_longer() -> None:
    made = hinterland("100", local=4, share=0.25)
    go_round(made, [1, 2, 3])
    assert go_round(made, [4], is_idle=True) == [2, 3, 4]


def test_a_page_that_turns_out_to_be_local_counts_as_local() -> None:
    made = hinterland("1.0", local=4)
    go_round(made, [1, 2], is_idle=True)
    fetch(made, 1)
    made.became_local(1, was_fetched=True)
    made.became_local(2, was_fetched=False)
    assert (made.local_fetched, made.outside_fetched, made.room) == (5, 0, 5)


def test_urgencies_given_at_discovery_are_kept_for_policies_that_never_refresh() -> None:
    made = hinterland()
    made.add_candidates([3, 9], np.array([0.3, 0.9]))
    made.add_candidates([5], np.array([0.5]))
    assert made.provisional(np.array([3, 5, 9], np.int32)).tolist() == [0.3, 0.5, 0.9]
    assert made.provisional(np.empty(0, np.int32)).tolist() == []


def test_of_equally_urgent_pages_the_earlier_discovered_are_chosen() -> None:
    pages, urgencies = np.array([2, 4, 6, 8], np.int32), np.array([1.0, 2.0, 1.0, 2.0])
    assert most_urgent(pages, urgencies, 3) == [4, 8, 2]
    assert most_urgent(pages, urgencies, 0) == []


def test_an_urgency_that_is_no_number_is_refused() -> None:
    with pytest.raises(ValueError, match="NaN"):
        most_urgent(np.array([1], np.int32), np.array([np.nan]), 1)
