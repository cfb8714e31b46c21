"""Numbers for URLs, and which of them are ours to fetch."""

from __future__ import annotations

from typing import Any

import numpy as np

from hinterland.crawler.frontier.pages.discoveries import Discoveries
from hinterland.crawler.frontier.pages.known_pages import KnownPages
from hinterland.crawler.frontier.pages.page_state import PageState
from hinterland.crawler.frontier.pages.scope import Scope
from hinterland.crawler.settings import ScopeSettings

SEED = "https://a.example/"


def known_pages(*seeds: str, max_depth: int | None = None, **settings: Any) -> KnownPages:
    known = KnownPages(Scope(ScopeSettings(**settings)), max_depth=max_depth)
    known.add_seeds(seeds or (SEED,), Discoveries())
    return known


def found(
    known: KnownPages, *links: str, source: int = 0, nofollow: tuple[int, ...] = ()
) -> tuple[list[int], Discoveries]:
    """Links of a page, by path unless absolute; nofollow are positions."""
    urls = [link if "://" in link else SEED + link for link in links]
    discoveries = Discoveries()
    numbers = known.add_links(urls, (lambda at: at not in nofollow) if nofollow else None, source, discoveries)
    return numbers, discoveries


def restore(known: KnownPages, url: str, host: int, *, depth: int = 1, **marks: bool) -> None:
    """One page; by default a local one that was admitted and not fetched."""
    names = {"is_local": True, "is_admitted": True, "is_followed": False, "is_fetched": False}
    columns = {name: np.array([marks.get(name, default)]) for name, default in names.items()}
    known.restore_pages([url], np.array([host], np.int32), np.array([depth], np.int32), **columns)


def test_numbers_are_dense_and_count_up_in_the_order_of_discovery() -> None:
    known = known_pages()
    assert found(known, "x", "y")[0] == [1, 2]
    assert found(known, "z", "x", "")[0] == [3, 1, 0]
    assert len(known) == 4
    assert known.find(SEED + "y") == 2
    assert known.find(SEED + "nowhere") is None


def test_a_new_page_is_recorded_with_all_that_is_known_of_it() -> None:
    known = known_pages()
    _, discoveries = found(known, "x", "https://b.example/y")
    here, there = discoveries.new_pages
    assert (here.number, here.url, here.host) == (1, SEED + "x", 0)
    assert (here.state, bool(here.is_local)) == (PageState.WAITING, True)
    assert (there.number, there.host) == (2, 1)
    assert (there.state, bool(there.is_local)) == (PageState.KNOWN, False)
    assert {(page.depth, page.referrer, page.redirects) for page in discoveries.new_pages} == {(1, 0, 0)}
    [host] = discoveries.new_hosts
    assert (host.number, host.url, host.site) == (1, "https://b.example", "b.example")
    assert (known.host_of(2), known.is_local(2), known.depth_of(2), known.local_count) == (1, False, 1, 2)


def test_only_local_pages_are_admitted_and_each_once() -> None:
    known = known_pages()
    _, discoveries = found(known, "x", "https://b.example/", "y")
    assert (discoveries.admitted, discoveries.admitted_hosts) == ([1, 3], [0, 0])
    assert discoveries.admitted_urls == [SEED + "x", SEED + "y"]
    assert found(known, "x", "y", "")[1] == Discoveries()


def test_a_url_that_comes_up_twice_on_one_page_is_one_page() -> None:
    known = known_pages()
    numbers, discoveries = found(known, "x", "y", "x")
    assert numbers == [1, 2, 1]
    assert discoveries.admitted == [1, 2]
    assert len(discoveries.new_pages) == 2


def test_a_nofollow_link_makes_a_page_known_but_not_waiting() -> None:
    known = known_pages()
    numbers, discoveries = found(known, "x", nofollow=(0,))
    assert numbers == [1]
    assert discoveries.admitted == []
    assert discoveries.new_pages[0].state == PageState.KNOWN
    assert discoveries.new_pages[0].is_local


def test_a_page_known_by_nofollow_only_is_admitted_by_a_later_link_and_only_once() -> None:
    known = known_pages()
    found(known, "x", "y", nofollow=(0,))
    _, discoveries = found(known, "x", source=2)
    assert (discoveries.admitted, discoveries.admitted_urls, discoveries.readmitted) == ([1], [SEED + "x"], [(1, 1, 1)])
    assert discoveries.new_pages == []
    assert found(known, "x", source=2)[1] == Discoveries()


def test_of_two_links_to_one_page_it_is_enough_that_one_is_followed() -> None:
    for nofollow in ((0,), (1,)):
        numbers, discoveries = found(known_pages(), "x", "x", nofollow=nofollow)
        assert numbers == [1, 1]
        assert discoveries.admitted == [1]


def test_two_nofollow_links_to_one_page_leave_it_alone() -> None:
    assert found(known_pages(), "x", "x", nofollow=(0, 1))[1].admitted == []


def test_pages_beyond_the_depth_limit_are_known_but_do_not_wait() -> None:
    known = known_pages(max_depth=1)
    found(known, "x")
    _, discoveries = found(known, "deep", source=1)
    assert discoveries.admitted == []
    assert discoveries.new_pages[0].state == PageState.KNOWN
    assert known.is_local(2)


def test_a_shorter_way_found_later_admits_a_page_beyond_the_depth_limit() -> None:
    known = known_pages(max_depth=1)
    found(known, "x")
    found(known, "deep", source=1)
    _, discoveries = found(known, "deep", source=0)
    assert (discoveries.admitted, discoveries.readmitted) == ([2], [(2, 1, 1)])
    assert known.depth_of(2) == 1


def test_with_a_depth_limit_a_shorter_way_is_noted_for_a_page_that_waits_already() -> None:
    known = known_pages(max_depth=5)
    found(known, "x")
    found(known, "y", source=1)
    _, discoveries = found(known, "y", source=0)
    assert (discoveries.nearer, discoveries.admitted) == ([(2, 1)], [])


def test_a_depth_limit_of_zero_leaves_the_seeds() -> None:
    known = KnownPages(Scope(ScopeSettings()), max_depth=0)
    discoveries = Discoveries()
    known.add_seeds([SEED], discoveries)
    assert discoveries.admitted == [0]
    assert found(known, "x")[1].admitted == []


def test_seeds_draw_the_scope_before_any_of_them_is_judged() -> None:
    discoveries = Discoveries()
    known = KnownPages(Scope(ScopeSettings()), max_depth=None)
    known.add_seeds([SEED, "https://b.example/", SEED], discoveries)
    assert discoveries.admitted == [0, 1]
    assert [page.depth for page in discoveries.new_pages] == [0, 0]
    assert [page.referrer for page in discoveries.new_pages] == [None, None]


def test_an_excluded_seed_is_known_but_not_fetched() -> None:
    discoveries = Discoveries()
    known = KnownPages(Scope(ScopeSettings(exclude=("private",))), max_depth=None)
    known.add_seeds([SEED + "private"], discoveries)
    assert (len(known), discoveries.admitted) == (1, [])


def test_the_domain_follows_the_redirect_of_a_seed() -> None:
    known = known_pages()
    discoveries = Discoveries()
    target = known.add_redirect("https://www.a.example/", 0, 1, discoveries)
    assert discoveries.admitted == [target]
    page = discoveries.new_pages[0]
    assert (page.depth, page.referrer, page.redirects) == (0, 0, 1)
    assert found(known, "https://www.a.example/x", source=target)[1].admitted == [2]


def test_the_domain_follows_a_chain_of_redirects_of_a_seed() -> None:
    known = known_pages()
    first = known.add_redirect("https://b.example/", 0, 1, Discoveries())
    second = known.add_redirect("https://c.example/", first, 2, Discoveries())
    assert known.is_local(second)


def test_the_domain_does_not_follow_the_redirect_of_another_page() -> None:
    known = known_pages()
    found(known, "x")
    discoveries = Discoveries()
    target = known.add_redirect("https://b.example/", 1, 1, discoveries)
    assert not known.is_local(target)
    assert (discoveries.admitted, known.depth_of(target)) == ([], 1)


def test_a_redirect_to_a_page_known_by_nofollow_only_admits_it() -> None:
    known = known_pages()
    found(known, "x", "y", nofollow=(1,))
    discoveries = Discoveries()
    assert known.add_redirect(SEED + "y", 1, 1, discoveries) == 2
    assert discoveries.admitted == [2]


def test_hosts_are_numbered_in_the_order_of_discovery_and_recorded_once() -> None:
    known = known_pages()
    _, discoveries = found(known, "https://b.example/1", "http://a.example/", "https://b.example/2")
    assert known.host_urls == ["https://a.example", "https://b.example", "http://a.example"]
    assert [host.number for host in discoveries.new_hosts] == [1, 2]
    again = Discoveries()
    assert known.host_number("https://b.example", again) == 1
    assert known.host_number("https://c.example", again) == 3
    assert [host.url for host in again.new_hosts] == ["https://c.example"]


def test_what_was_restored_is_known_as_before() -> None:
    known = KnownPages(Scope(ScopeSettings(), [SEED]), max_depth=None)
    host = known.restore_host("https://a.example")
    restore(known, SEED, host)
    restore(known, SEED + "shy", host, is_admitted=False, depth=1)
    numbers, discoveries = found(known, "", "shy", "new")
    assert numbers == [0, 1, 2]
    assert sorted(discoveries.admitted) == [1, 2]
    assert discoveries.new_hosts == []
    assert known.local_count == 3


def test_depths_do_not_overflow() -> None:
    known = known_pages()
    restore(known, SEED + "far", 0, depth=10**6)
    [number], _ = found(known, "farther", source=1)
    assert known.depth_of(number) == known.depth_of(1) == 65_535


def test_pages_met_before_their_host_became_local_are_taken_in_when_it_does() -> None:
    known, discoveries = KnownPages(Scope(ScopeSettings()), max_depth=None), Discoveries()
    known.add_seeds(["http://a.test/"], discoveries)
    outside = known.add_links(["http://b.test/1", "http://c.test/"], None, 0, Discoveries())
    later = Discoveries()
    known.add_seeds(["http://b.test/"], later)
    assert [known.is_local(page) for page in outside] == [True, False]
    assert later.readmitted == [(outside[0], 1, 1)]
    assert later.admitted_urls == [None, "http://b.test/"]
    assert known.local_count == 3


def test_a_seed_met_before_as_a_stranger_is_fetched_when_it_becomes_a_seed() -> None:
    settings = ScopeSettings(kind="prefix")
    known, discoveries = KnownPages(Scope(settings), max_depth=None), Discoveries()
    known.add_seeds(["http://a.test/x/"], discoveries)
    [stranger] = known.add_links(["http://a.test/y/"], None, 0, Discoveries())
    later = Discoveries()
    known.add_seeds(["http://a.test/y/"], later)
    assert known.is_local(stranger)
    assert later.admitted == [stranger]


# --- pages outside ------------------------------------------------------------------------------

OUTSIDE = [f"http://b.test/{number}" for number in range(4)]


def test_candidates_are_the_pages_outside_that_a_link_which_may_be_followed_leads_to() -> None:
    known = known_pages()
    numbers, discoveries = found(known, *OUTSIDE[:3], nofollow=(1,))
    assert known.candidates().tolist() == [numbers[0], numbers[2]]
    assert known.new_candidates(discoveries) == [numbers[0], numbers[2]]
    _, again = found(known, OUTSIDE[1], OUTSIDE[0], source=0)
    assert known.candidates().tolist() == numbers
    assert known.new_candidates(again) == [numbers[1]], "the other was one before"


def test_what_an_exclude_pattern_matches_is_no_candidate_and_becomes_none() -> None:
    known = known_pages(exclude=("/2$",))
    numbers, _ = found(known, *OUTSIDE[:3], nofollow=(2,))
    found(known, OUTSIDE[2])
    assert known.candidates().tolist() == numbers[:2]


def test_local_pages_that_are_too_deep_are_no_candidates() -> None:
    known = known_pages(max_depth=0)
    [deep, outside], _ = found(known, "deep", OUTSIDE[0])
    assert known.candidates().tolist() == [outside]
    assert not known.is_candidate(deep)


def test_a_page_outside_is_admitted_once_and_stays_outside() -> None:
    known = known_pages()
    [page, other], _ = found(known, *OUTSIDE[:2])
    discoveries = Discoveries()
    known.admit_outside([page, page], discoveries)
    assert (discoveries.admitted, discoveries.admitted_urls, discoveries.readmitted) == ([page], [None], [(page, 1, 0)])
    assert not known.is_local(page)
    assert known.candidates().tolist() == [other]
    assert found(known, OUTSIDE[0])[1].admitted == []
    assert known.local_count == 1


def test_a_page_outside_that_is_withdrawn_is_a_candidate_again_and_admitted_if_it_becomes_local() -> None:
    known = known_pages()
    [page], _ = found(known, OUTSIDE[0])
    known.admit_outside([page], Discoveries())
    known.withdraw(page)
    assert known.candidates().tolist() == [page]
    discoveries = Discoveries()
    known.add_seeds([OUTSIDE[0]], discoveries)
    assert (discoveries.admitted, discoveries.localised) == ([page], [])


def test_the_target_of_a_redirect_of_a_page_outside_is_admitted_with_it() -> None:
    known = known_pages()
    [page], _ = found(known, OUTSIDE[0])
    known.admit_outside([page], Discoveries())
    for target, is_new in ((OUTSIDE[1], True), (OUTSIDE[1], False)):
        discoveries = Discoveries()
        number = known.add_redirect(target, page, 1, discoveries)
        assert discoveries.admitted == ([number] if is_new else [])
        assert not known.is_local(number)


def test_the_target_of_a_redirect_that_leads_out_of_the_domain_is_a_candidate_only() -> None:
    known = known_pages()
    [page], _ = found(known, "x")
    discoveries = Discoveries()
    number = known.add_redirect(OUTSIDE[0], page, 1, discoveries)
    assert discoveries.admitted == []
    assert known.is_candidate(number)


def test_pages_admitted_outside_become_local_with_their_host_and_are_not_admitted_again() -> None:
    known = known_pages()
    numbers, _ = found(known, *OUTSIDE[:3], nofollow=(2,))
    known.admit_outside(numbers[:2], Discoveries())
    known.note_fetched(numbers[0])
    discoveries = Discoveries()
    known.add_seeds(["http://b.test/"], discoveries)
    assert discoveries.localised == numbers[:2]
    assert [page for page, _, _ in discoveries.readmitted] == [numbers[2]]
    assert [known.was_fetched_outside(page) for page in numbers] == [True, False, False]
    assert known.local_mask().tolist() == [True] * len(known)
    assert known.local_count == len(known)


def test_what_a_store_remembers_of_pages_outside_is_restored() -> None:
    known = KnownPages(Scope(ScopeSettings(exclude=("/2$",))), max_depth=None)
    for number, url in enumerate(OUTSIDE):
        restore(known, url, 0, is_local=False, is_admitted=number == 3, is_followed=number != 1, is_fetched=number == 3)
    assert known.candidates().tolist() == [0]
    assert known.was_fetched_outside(3)
    assert known.local_count == 0
