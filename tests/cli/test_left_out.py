"""What keeps a crawl from most of a site without being a failure is said by `explain`, the summary and `status`."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from hinterland.cli.commands import main
from hinterland.cli.crawl.summary import summary
from tests.support.hinterland import crawled
from tests.support.in_process import said
from tests.support.web import LoopbackWeb

pytestmark = pytest.mark.slow

NOFOLLOW = {"X-Robots-Tag": "nofollow"}
META = '<meta name="robots" content="{}">'
BY_PAGE, BY_LINK = "robots.obey_page_directives", "robots.obey_nofollow"


def links(*targets: str, rel: str = "") -> str:
    return "".join(f'<a href="{target}" rel="{rel}">a page</a> ' for target in targets)


def linked(rel: str) -> Callable[[LoopbackWeb], str]:
    return lambda web: web.page("a.test", "/", html=links("/1", "/2", rel=rel))


def asked(directive: str) -> Callable[[LoopbackWeb], str]:
    return lambda web: web.page("a.test", "/", html=META.format(directive) + links("/1", "/2"))


def headed(web: LoopbackWeb) -> str:
    return web.page("a.test", "/", html=links("/1", "/2"), headers=NOFOLLOW)


def headed_for_us(web: LoopbackWeb) -> str:
    return web.page("a.test", "/", html=links("/1", "/2"), headers={"X-Robots-Tag": "hinterland: nofollow"})


NOFOLLOWS = [
    pytest.param(linked("nofollow"), BY_LINK, id="rel"),
    pytest.param(linked("UGC NoFollow noopener"), BY_LINK, id="rel among others"),
    pytest.param(asked("nofollow"), BY_PAGE, id="meta"),
    pytest.param(asked("none"), BY_PAGE, id="meta none"),
    pytest.param(asked("noindex, NOFOLLOW"), BY_PAGE, id="meta in capitals"),
    pytest.param(headed, BY_PAGE, id="header"),
    pytest.param(headed_for_us, BY_PAGE, id="header for us"),
]


@pytest.mark.parametrize("start, setting", NOFOLLOWS)
async def test_a_page_left_out_by_nofollow_is_explained_and_counted(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], start: Callable[[LoopbackWeb], str], setting: str
) -> None:
    store = tmp_path / "s.db"
    async with LoopbackWeb() as web:
        seed = start(web)
        told = summary(await crawled(web, store, seed))
    url = seed + "1"
    why = said(capsys, "explain", url, "--store", store, "--offline")
    assert why.startswith(f"It would not be fetched: only links that say nofollow lead to it, and {setting} = true.")
    answer = json.loads(said(capsys, "explain", url, "--store", store, "--offline", "--json"))
    assert (answer["would_be_fetched"], answer["left_by_nofollow"]) == (False, True)
    for text in (told, said(capsys, "status", store)):
        assert "Left out by nofollow: 2 pages of the domain" in text
        assert f"{url}, found on {seed}" in text
        assert setting in text
        assert f"{seed}: its 2 links are not followed" in text
    values = json.loads(said(capsys, "status", store, "--json"))
    assert values["left_by_nofollow"]["pages"] == 2
    assert values["left_by_nofollow"]["by_page"] == (2 if setting == BY_PAGE else 0)
    assert values["dead_starts"][0]["url"] == seed


async def test_nofollow_that_is_not_obeyed_leaves_nothing_out(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    store = tmp_path / "s.db"
    async with LoopbackWeb() as web:
        seed = linked("nofollow")(web)
        await crawled(web, store, seed)
    why = said(capsys, "explain", seed + "1", "--store", store, "--offline", "--set", "robots.obey_nofollow=false")
    assert why.startswith("It would be fetched")


async def test_a_seed_is_fetched_whatever_links_to_it_say(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    store = tmp_path / "s.db"
    async with LoopbackWeb() as web:
        seed = linked("nofollow")(web)
        await crawled(web, store, seed)
    why = said(capsys, "explain", seed + "1", "--seed", seed + "1", "--store", store, "--offline")
    assert why.startswith("It would be fetched")


async def test_pages_that_are_outside_too_deep_or_linked_otherwise_too_are_not_left_out_by_nofollow(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    store = tmp_path / "s.db"
    async with LoopbackWeb() as web:
        web.page("a.test", "/1", html=links("/3", rel="nofollow"))
        web.page("a.test", "/2", html=links("/4"))
        outside = web.url("b.test")
        seed = web.page(
            "a.test", "/", html=links(outside, "/2", rel="nofollow") + links("/1", "/2"),
        )  # fmt: skip
        ending = await crawled(web, store, seed, settings=("scope.max_depth=1",))
    assert "nofollow" not in summary(ending)
    assert ending.content is not None
    assert ending.content.left_by_nofollow is None
    deep = said(capsys, "explain", seed + "3", "--store", store, "--offline")
    assert "deeper than scope.max_depth" in deep
    assert "outside the scope" in said(capsys, "explain", outside, "--store", store, "--offline")
    assert "It has been fetched" in said(capsys, "explain", seed + "2", "--store", store, "--offline")


async def test_most_of_a_site_left_out_by_the_page_of_contents_is_counted_whole(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    store = tmp_path / "s.db"
    async with LoopbackWeb() as web:
        seed = web.page("a.test", "/", ["/index"])
        web.page("a.test", "/index", html=META.format("nofollow") + links(*(f"/{page}" for page in range(40))))
        told = summary(await crawled(web, store, seed))
    assert "Left out by nofollow: 40 pages of the domain" in told
    assert "lead nowhere" not in told


SHELL = '<div id="root"></div><script src="/app.js"></script>'


@pytest.mark.parametrize(
    "html, said_of_it",
    [
        (SHELL, "a shell, with no links before its scripts have run"),
        (SHELL + links("/about"), "a shell, with 1 link before its scripts have run"),
        ("<p>Words, and nothing that leads on.", "it has no links"),
        (links("/") + "<p>It leads to itself alone.", "it has no links"),
        (links("http://b.test/") + "<p>Come and see.", "its link leads out of the domain"),
        (links("/1", "/2", rel="nofollow"), "its 2 links are not followed: marked nofollow"),
        (META.format("nofollow") + links("/1", "/2"), "its 2 links are not followed: the page says nofollow"),
    ],
)
async def test_a_start_page_that_leads_nowhere_is_reported(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], html: str, said_of_it: str
) -> None:
    store = tmp_path / "s.db"
    async with LoopbackWeb() as web:
        web.page("a.test", "/about", html="<p>About.")
        seed = web.page("a.test", "/", html=html)
        told = summary(await crawled(web, store, seed))
    for text in (told, said(capsys, "status", store)):
        assert f"  {seed}: {said_of_it}" in text
        assert ("--render auto" in text) is ("shell" in said_of_it)


async def test_where_a_seed_has_moved_to_is_a_start_page(tmp_path: Path) -> None:
    async with LoopbackWeb() as web:
        seed = web.redirect("a.test", "/", "/app/")
        shell = web.page("a.test", "/app/", html=SHELL)
        told = summary(await crawled(web, tmp_path / "s.db", seed))
    assert f"  {shell}: a shell, with no links" in told


async def test_start_pages_that_lead_on_are_not_told_of_nor_one_that_leads_outside_among_them(tmp_path: Path) -> None:
    async with LoopbackWeb() as web:
        web.page("a.test", "/1", [])
        seeds = [web.page("a.test", "/", ["/1"]), web.page("b.test", "/", [("c.test", "/")])]
        told = summary(await crawled(web, tmp_path / "s.db", *seeds))
    assert "lead nowhere" not in told


async def test_of_many_start_pages_that_lead_nowhere_three_are_named(tmp_path: Path) -> None:
    async with LoopbackWeb() as web:
        seeds = [web.page(f"s{number}.test", "/", html=SHELL) for number in range(5)]
        told = summary(await crawled(web, tmp_path / "s.db", *seeds))
    assert "Start pages that lead nowhere: 5" in told
    assert "  and 2 more" in told


def test_a_store_without_a_crawl_leaves_nothing_out(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["status", str(tmp_path / "none.db")]) != 0
    assert "nofollow" not in capsys.readouterr().out
