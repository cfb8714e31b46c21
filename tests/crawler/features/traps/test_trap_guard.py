"""Endless spaces are slowed down, and sites are not."""

from __future__ import annotations

from collections.abc import Callable
from hashlib import sha1

import pytest

from hinterland.crawler.features.traps.guard import FROM_PAGES, Priority, TrapGuard
from hinterland.crawler.features.traps.settings import TrapSettings
from hinterland.crawler.parsing.text_hashes import NO_HASHES, Interest, text_hashes
from tests.support.crawl_in_memory import ORDERS, Result, crawl, crawl_space
from tests.support.endless_webs import HOST, SITE, SPACES

pytestmark = pytest.mark.slow

PATIENCE = 60
LIMIT = 2_500
LETTERS = str.maketrans("0123456789", "ghijklmnop")


def site_pages(result: Result) -> int:
    return sum(url.removeprefix(HOST) in SITE for url in result.requests)


@pytest.mark.parametrize("name", sorted(set(SPACES) - {"random links, new words"}))
def test_an_endless_space_costs_some_hundred_requests_and_the_site_nothing(name: str) -> None:
    result = crawl_space(name, "bfs", TrapSettings(patience=PATIENCE), LIMIT)
    assert site_pages(result) == len(SITE)
    assert len(result.requests) - len(SITE) < 1_400
    assert result.guard.slowed()
    assert result.guard.left == result.left > 0


def test_without_a_guard_a_crawl_does_not_leave_the_space() -> None:
    assert len(crawl_space("calendar of months", "bfs", None, LIMIT).requests) == LIMIT


@pytest.mark.parametrize("order", ["dfs", "random"])
@pytest.mark.parametrize("name", ["calendar of days", "session in query", "nesting soft 404"])
def test_the_order_of_the_crawl_makes_no_difference(name: str, order: str) -> None:
    result = crawl_space(name, order, TrapSettings(patience=PATIENCE), LIMIT)
    assert site_pages(result) == len(SITE)
    assert len(result.requests) < LIMIT


def test_links_that_breed_among_themselves_go_last_even_if_all_they_say_is_new() -> None:
    result = crawl_space("random links, new words", "bfs", TrapSettings(patience=PATIENCE), LIMIT)
    assert {each.suspicion for each in result.guard.slowed()} == {"breeds"}
    assert site_pages(result) == len(SITE)
    assert len(result.requests) < LIMIT


def test_with_endless_patience_a_slowed_space_only_goes_last() -> None:
    result = crawl_space("calendar of months", "random", TrapSettings(patience=-1), LIMIT)
    assert len(result.requests) == LIMIT
    last_of_site = max(place for place, url in enumerate(result.requests) if url.removeprefix(HOST) in SITE)
    assert last_of_site < len(SITE) + 400
    assert not result.guard.left


def test_urls_that_are_trusted_are_not_slowed() -> None:
    settings = TrapSettings(patience=PATIENCE, trusted=(r"/months\?at=",))
    assert not crawl_space("calendar of months", "bfs", settings, LIMIT).guard.slowed()


def listing(pages: int, text: bytes, each_links: int = 3) -> Result:
    """The crawl of a site whose first pages list all others."""

    def web(url: str) -> tuple[bytes, list[str]]:
        number = int(url.rsplit("/", 1)[1] or 0)
        if number < 20:
            return b"Listing number %d of the site" % number, [f"{HOST}/p/{each}" for each in range(number, pages, 20)]
        return text, [f"{HOST}/p/{number + step}" for step in range(1, each_links) if number + step < pages]

    return crawl(web, [f"{HOST}/p/{each}" for each in range(20)], "bfs", TrapSettings(patience=20))


def test_a_site_of_a_thousand_equal_pages_is_fetched_whole() -> None:
    result = listing(1_000, b"Nothing but the same words on each of these pages")
    assert len(set(result.requests)) == 1_000
    assert not result.guard.left


def site_and_then(part: Callable[[int], list[int]], own: int, pages: int, order: str) -> Result:
    """The crawl of `own` pages with words of their own, each with links to the next two, and then others up to `pages`
    that all say the same; part: which pages these link to."""

    def web(url: str) -> tuple[bytes, list[str]]:
        number = int(url.rsplit("/", 1)[1])
        words = sha1(b"%d" % number).hexdigest().translate(LETTERS).encode() if number < own else b"The same words"
        links = [number + 1, number + 2] if number < own - 1 else part(number)
        return words, [f"{HOST}/p/{each}" for each in links if each < pages]

    return crawl(web, [f"{HOST}/p/0"], order, TrapSettings())


@pytest.mark.parametrize("order", ORDERS)
def test_pages_that_are_all_listed_at_once_are_fetched_to_the_last_one_whatever_they_say(order: str) -> None:
    result = site_and_then(lambda number: list(range(200, 5_000)) if number == 199 else [], 200, 5_000, order)
    assert len(set(result.requests)) == 5_000
    assert not result.guard.left


@pytest.mark.parametrize("order", ["bfs", "random"])
def test_a_part_of_a_site_that_has_said_much_may_say_little_for_a_long_time(order: str) -> None:
    own, pages = 6_000, 7_400

    def tree(number: int) -> list[int]:
        return [own] if number < own else [2 * number - own + 1, 2 * number - own + 2]

    result = site_and_then(tree, own, pages, order)
    assert len(set(result.requests)) == pages
    assert not result.guard.left


FORMS = {
    "in queries": ["/list?sid={}", "/item?id=7&sid={}", "/cart?sid={}&step=2", "/help?sid={}", "/about?lang=en&sid={}"],
    "in path parameters": ["/list;sid={}", "/item;sid={}?id=7", "/cart;sid={}", "/a/help;sid={}", "/about;sid={};x=1"],
    "in folders": ["/list/s{}x", "/item/s{}x/7", "/cart/s{}x?step=2", "/help/s{}x", "/shop/about/s{}x"],
    "in endings": ["/list/s{}x.html", "/item/s{}x.php?id=7", "/cart/s{}x.html", "/help/s{}x.html", "/shop/s{}x.html"],
    "of one parameter in many folders": [f"/{'abcdefghij'[each]}/{'klmnopqrst'[each]}?sid={{}}" for each in range(10)],
}


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("forms", FORMS.values(), ids=FORMS)
def test_all_shapes_of_one_session_spend_one_budget(forms: list[str], order: str) -> None:
    """Each page has links to all of them with a session of its own."""
    sessions = 0

    def web(url: str) -> tuple[bytes, list[str]]:
        nonlocal sessions
        sessions += 1
        session = sha1(b"%d" % sessions).hexdigest()[:12]
        return b"The shop has the same goods as ever", [HOST + form.format(session) for form in forms]

    result = crawl(web, [f"{HOST}/"], order, TrapSettings(), 6_000)
    assert len(result.requests) < 1_800
    assert result.guard.left > 0


@pytest.mark.parametrize("order", ORDERS)
def test_finite_parts_of_a_site_that_share_a_parameter_are_fetched_whole(order: str) -> None:
    def web(url: str) -> tuple[bytes, list[str]]:
        path = url.removeprefix(HOST)
        if path == "/":
            return b"All there is", [f"{HOST}/{part}?id={number}" for part in "abcde" for number in range(1_500)]
        part, _, number = path[1:].partition("?id=")
        return b"Nothing but the same words", [f"{HOST}/{part}?id={(int(number) + step) % 1_500}" for step in (1, 2)]

    result = crawl(web, [f"{HOST}/"], order, TrapSettings(), 10_000)
    assert len(result.requests) == 7_501
    assert not result.guard.left


def calendar_page(guard: TrapGuard, at: int) -> Priority:
    """Visit a month, which leads to the next one."""
    url = f"{HOST}/months?at={at}"
    shape = guard.place(0, url)
    priority = guard.priority(shape)
    guard.found(0, f"{HOST}/months?at={at + 1}")
    told = text_hashes(b"There are no events in this month. Month view, week view.", b"", guard.interest(shape))
    guard.read(0, shape, told, is_linked_once=True)
    guard.done(shape)
    return priority


def test_a_space_that_one_run_slowed_down_stays_slow_in_the_next() -> None:
    guard = TrapGuard(TrapSettings(patience=PATIENCE))
    turns = [calendar_page(guard, at) for at in range(FROM_PAGES + 300)]
    assert turns[-1] is Priority.SUSPENDED
    resumed = TrapGuard(TrapSettings(patience=PATIENCE))
    resumed.restore(guard.slowed())
    assert resumed.slowed() == guard.slowed()
    assert calendar_page(resumed, 1_000) is Priority.SUSPENDED
    patient = TrapGuard(TrapSettings(patience=10 * PATIENCE))
    patient.restore(guard.slowed())
    assert calendar_page(patient, 1_000) is Priority.LOW


def test_pages_left_waiting_come_back_when_their_shape_brings_something_new() -> None:
    guard = TrapGuard(TrapSettings(patience=PATIENCE))
    at = 0
    while calendar_page(guard, at) is not Priority.SUSPENDED:
        at += 1
    shape = guard.place(0, f"{HOST}/months?at={at}")
    assert shape is not None
    guard.set_aside(shape, 7)
    assert guard.take_back() == []
    for number in range(40):
        words = "".join(chr(97 + int(digit)) for digit in str(number * 7919))
        told = text_hashes(f"An event at last, and it is called {words} by its friends".encode(), b"", Interest.WORDS)
        guard.read(0, shape, told, is_linked_once=True)
    assert guard.take_back() == [7]
    assert guard.priority(shape) is Priority.NORMAL


def test_a_small_host_costs_nothing() -> None:
    guard = TrapGuard(TrapSettings())
    for at in range(FROM_PAGES - 1):
        guard.read(3, None, NO_HASHES, is_linked_once=True)
        assert guard.place(3, f"{HOST}/{at}") is None
    guard.read(3, None, NO_HASHES, is_linked_once=True)
    assert guard.place(3, f"{HOST}/") is not None


def fill(guard: TrapGuard, hosts: range) -> None:
    """Let a guard look at as many shapes of each host as it ever does."""
    for host in hosts:
        for _ in range(FROM_PAGES):
            guard.read(host, None, NO_HASHES, is_linked_once=True)
        for number in range(450):
            letters = "".join(chr(97 + int(digit)) for digit in str(number))
            guard.found(host, f"{HOST}/{letters[0]}/{letters[:2]}/{letters}/page{letters}")


def test_a_visit_during_which_its_host_was_forgotten_slows_nothing_down() -> None:
    guard = TrapGuard(TrapSettings(patience=PATIENCE))
    for at in range(FROM_PAGES + 20):
        calendar_page(guard, at)
    shape = guard.place(0, f"{HOST}/months?at=0")
    fill(guard, range(1, 160))
    assert guard.place(0, f"{HOST}/months?at=0") is None
    for _ in range(200):
        told = text_hashes(b"There are no events in this month.", b"", Interest.WORDS)
        guard.read(0, shape, told, is_linked_once=True)
        guard.moved(0, shape, Priority.SUSPENDED)
    assert guard.slowed() == []
    assert guard.priority(guard.place(0, f"{HOST}/months?at=0")) is Priority.NORMAL


def test_the_tables_stay_small_whatever_the_urls_are() -> None:
    guard = TrapGuard(TrapSettings())
    fill(guard, range(160))
    assert guard.memory_bytes() < 22_000_000
