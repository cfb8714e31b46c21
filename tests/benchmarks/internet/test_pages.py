"""The small web in a box: every page can be found, and each says something of its own."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.internet.pages import SmallWeb, children_of, number_of, path_of
from benchmarks.internet.pages_farm import FarmWeb
from benchmarks.internet.web_chance import draw, first_byte_seconds, page_bytes
from benchmarks.internet.web_robots import PRIVATE, robots_of
from benchmarks.internet.world import Host, Machine, World
from benchmarks.internet.world import Path as NetworkPath


def world_of(count: int, pages: int = 0, page_size: int = 5_000) -> World:
    machine = Machine("198.18.1.0", "", NetworkPath())
    return World(3, [machine], [Host(f"h{n}.example", 0, page_bytes=page_size, pages=pages) for n in range(count)])


def web_of(world: World) -> SmallWeb:
    return SmallWeb(world, [world.host_url(host) for host in world.hosts])


def links_of(body: bytes) -> list[str]:
    return re.findall(r'href="([^"]+)"', body.decode())


@pytest.mark.slow
@given(st.integers(0, 10**9))
def test_a_path_names_one_page(page: int) -> None:
    assert number_of(path_of(page)) == page


@pytest.mark.slow
@given(st.one_of(st.text(), st.from_regex(r"/[a-z]{2,3}/[0-9]{1,5}\.html", fullmatch=True)))
def test_only_the_path_of_a_page_names_it(path: str) -> None:
    number = number_of(path)
    assert number is None or path_of(number) == path


@given(st.integers(1, 300))
def test_every_page_but_the_root_is_the_child_of_one_page(pages: int) -> None:
    assert sorted(child for page in range(pages) for child in children_of(page, pages)) == list(range(1, pages))


@pytest.mark.slow
@given(st.integers(1, 60))
def test_a_walk_along_the_links_finds_all_pages_of_a_host_and_no_others(pages: int) -> None:
    world = world_of(3, pages)
    web, seen, waiting = web_of(world), set[str](), ["/"]
    while waiting:
        path = waiting.pop()
        if path in seen or path.startswith(PRIVATE):
            continue
        seen.add(path)
        body = web.page(1, path)
        assert body is not None
        waiting += [link for link in links_of(body) if link.startswith("/")]
    assert seen == {path_of(page) for page in range(pages)}
    assert web.page(1, path_of(pages)) is None


def test_pages_lead_to_other_hosts_too_and_no_two_say_the_same() -> None:
    world = world_of(40)
    web = web_of(world)
    bodies = [web.page(index, path_of(page)) or b"" for index in range(40) for page in range(5)]
    abroad = {link for body in bodies for link in links_of(body) if link.startswith("http://")}
    assert abroad <= {world.host_url(host) for host in world.hosts}
    assert len(abroad) > 30
    assert len(set(bodies)) == 200


def test_a_host_whose_robots_txt_forbids_something_has_links_to_it() -> None:
    world = world_of(60)
    web = web_of(world)
    for index in range(60):
        robots, links = robots_of(world.seed, index), links_of(web.page(index, "/") or b"")
        assert any(link.startswith(PRIVATE) for link in links) == (robots is not None and robots.forbids)
    assert len({robots_of(world.seed, index) for index in range(2_000)}) > 4


def test_sizes_and_times_lie_around_their_medians() -> None:
    host = Host("h.example", 0, first_byte_seconds=0.2, spread=0.5, page_bytes=20_000)
    times = sorted(first_byte_seconds(1, 0, host, number) for number in range(4_001))
    sizes = sorted(page_bytes(1, 0, host, number) for number in range(4_001))
    assert times[2_000] == pytest.approx(0.2, rel=0.1)
    assert sizes[2_000] == pytest.approx(20_000, rel=0.1)
    assert times[0] < 0.1 < 0.5 < times[-1]
    body = web_of(world_of(1, page_size=20_000)).page(0, "/")
    assert body is not None
    assert len(body) == pytest.approx(page_bytes(3, 0, world_of(1, page_size=20_000).hosts[0], 0), abs=300)


@given(st.lists(st.integers(-(2**40), 2**40), max_size=5))
def test_a_draw_is_a_share_and_always_the_same(numbers: list[int]) -> None:
    assert 0 <= draw(*numbers) < 1
    assert draw(*numbers) == draw(*numbers)


def test_the_pages_of_a_farm_are_shown_by_the_hosts_in_turn(tmp_path: Path) -> None:
    for name in ("a", "b"):
        folder = tmp_path / "www" / name / "docs"
        folder.mkdir(parents=True)
        (folder / "index.html").write_text(f"page of {name}")
    farm = FarmWeb(tmp_path, 3)
    assert [farm.page(index, "/docs/") for index in range(3)] == [b"page of a", b"page of b", b"page of a"]
    assert links_of(farm.page(1, "/") or b"") == ["/docs/index.html"]
    assert farm.page(0, "/docs/none.html") is None
    assert farm.page(0, "/../b/docs/index.html") is None


def test_a_farm_that_was_not_built_is_refused(tmp_path: Path) -> None:
    (tmp_path / "www").mkdir()
    with pytest.raises(FileNotFoundError, match="build the webfarm first"):
        FarmWeb(tmp_path, 1)
