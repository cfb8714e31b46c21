from __future__ import annotations

import gzip
import socket
from dataclasses import dataclass
from pathlib import Path

import pytest
import uvloop

from hinterland.library.text.rendering_text import rendering_lines
from hinterland.storage.reading.opening import reading
from tests.support.browsing import CHROMIUM
from tests.support.crawling import Crawled, crawl, rows
from tests.support.script_webs import APP, BAD, INNER_ADDRESS, OTHER, ROUTES, application, misbehaving
from tests.support.web import LoopbackWeb

pytestmark = [pytest.mark.slow, pytest.mark.skipif(CHROMIUM is None, reason="there is no Chromium on this machine")]

QUIET = {"pages": "auto", "quiet_seconds": 0.1}


@dataclass(frozen=True, slots=True)
class Visited:
    crawled: Crawled
    web: LoopbackWeb
    seed: str

    def url(self, path: str) -> str:
        return self.seed.removesuffix("/") + path


def test_an_application_whose_links_exist_only_after_scripts(tmp_path: Path) -> None:
    async def scenario() -> Visited:
        async with LoopbackWeb() as web:
            seed = application(web)
            polite = {"delay_seconds": 0.05, "delay_factor": 0.0}
            crawled = await crawl(
                web.addresses, [seed], tmp_path / "store.db", warc=tmp_path / "warc", rendering=QUIET, politeness=polite
            )
            return Visited(crawled, web, seed)

    visited = uvloop.run(scenario())
    an_application_is_found_whole(visited)
    its_links_are_those_that_its_scripts_made(visited)
    a_page_that_scripts_leave_is_a_redirect(visited)
    robots_txt_holds_for_what_scripts_fetch(visited)
    what_is_asked_for_is_pages_data_and_each_script_once(visited)
    no_host_is_asked_for_two_things_at_once_and_each_rests_for_all_it_was_asked(visited)
    the_store_says_what_was_rendered_and_so_do_reports(visited)
    the_archive_has_what_the_server_sent(visited)


def an_application_is_found_whole(visited: Visited) -> None:
    whole = {visited.url(path) for path in (*ROUTES, "/old")}
    assert dict(rows(visited.crawled.store, "SELECT url, state FROM page")).keys() == whole
    titles = dict(rows(visited.crawled.store, "SELECT url, title FROM pages WHERE outcome = 'fetched'"))
    assert titles[visited.url("/items/1")] == "Item 1"  # drawn from data that were fetched


def its_links_are_those_that_its_scripts_made(visited: Visited) -> None:
    sql = "SELECT source, target, anchor FROM links WHERE kind = 'a'"
    links = {
        (source.removeprefix(visited.url("")), target.removeprefix(visited.url("")), anchor)
        for source, target, anchor in rows(visited.crawled.store, sql)
    }
    assert links == {
        ("/", "/about", "to /about"),
        ("/", "/items", "to items"),
        ("/about", "/old", "to /old"),
        ("/items", "/items/1", "to /items/1"),
        ("/items", "/items/2", "to /items/2"),
        ("/items/2", "/hidden", "to /hidden"),
    }


def a_page_that_scripts_leave_is_a_redirect(visited: Visited) -> None:
    [row] = rows(
        visited.crawled.store,
        "SELECT outcome, status, detail, redirect_target FROM pages WHERE url = ?", visited.url("/old"),
    )  # fmt: skip
    assert row == ("redirected", 200, "by a script", visited.url("/items"))


def robots_txt_holds_for_what_scripts_fetch(visited: Visited) -> None:
    assert visited.web.requests(APP, "/api/private/2.json") == []
    sql = "SELECT detail FROM renderings WHERE url = ?"
    told = rows(visited.crawled.store, sql, visited.url("/items/2"))
    assert told == [("some of its requests were refused: 1 forbidden by robots.txt",)]


def what_is_asked_for_is_pages_data_and_each_script_once(visited: Visited) -> None:
    fetches = visited.web.fetches()
    pages = {(APP, path) for path in (*ROUTES, "/old")}
    assert fetches == dict.fromkeys([*pages, (APP, "/api/items.json"), (OTHER, "/app.js"), (OTHER, "/v1/app.js")], 1)


def no_host_is_asked_for_two_things_at_once_and_each_rests_for_all_it_was_asked(visited: Visited) -> None:
    web = visited.web
    assert web.overlaps() == []
    paths = [request.path for request in web.log if request.host == APP]
    data = paths.index("/api/items.json")
    assert web.gaps(APP)[data] >= 0.1  # for two requests
    assert min(web.gaps(OTHER)) >= 0.05


def the_store_says_what_was_rendered_and_so_do_reports(visited: Visited) -> None:
    with reading(visited.crawled.store) as store:
        [report] = store.pages.renderings()
        home = store.pages.by_url(visited.seed)
    assert (report.rendering, report.pages) == ("rendered", len(ROUTES))
    assert home is not None
    assert home.rendering == "rendered"
    assert "rendered" in "\n".join(rendering_lines([report]))


def the_archive_has_what_the_server_sent(visited: Visited) -> None:
    files = (visited.crawled.store.parent / "warc").glob("*.warc.gz")
    archived = b"".join(gzip.decompress(file.read_bytes()) for file in files)
    for path in ("/about", "/api/items.json"):
        assert f"WARC-Target-URI: {visited.url(path)}\r\n".encode() in archived
    assert b"You need to enable JavaScript" in archived
    assert b"to /items/1" not in archived  # as the page shows


async def test_without_a_browser_shells_are_counted_and_named(tmp_path: Path) -> None:
    async with LoopbackWeb() as web:
        seed = application(web)
        plain = web.page("plain.test", "/", title="A page of its own")
        crawled = await crawl(web.addresses, [seed, plain], tmp_path / "store.db")
    with reading(crawled.store) as store:
        [report] = store.pages.renderings()
    assert (report.rendering, report.pages, report.example) == ("shell", 1, seed)
    assert any("--render" in line for line in rendering_lines([report]))


def test_pages_that_misbehave_cost_themselves_only(tmp_path: Path) -> None:
    async def scenario(udp: str) -> Visited:
        async with LoopbackWeb(addresses=("127.0.0.1", INNER_ADDRESS)) as web:
            seeds = misbehaving(web, udp)
            bounded = {**QUIET, "timeout_seconds": 4.0, "browsers": 2, "max_requests": 10}
            narrow = {"allow_networks": ("127.0.0.1/32",)}
            crawled = await crawl(web.addresses, seeds, tmp_path / "store.db", rendering=bounded, fetching=narrow)
            return Visited(crawled, web, web.url(BAD, "/"))

    with socket.socket(type=socket.SOCK_DGRAM) as listening:
        listening.bind((INNER_ADDRESS, 0))
        listening.setblocking(False)
        visited = uvloop.run(scenario(f"{INNER_ADDRESS}:{listening.getsockname()[1]}"))
        with pytest.raises(BlockingIOError):
            listening.recv(1)
    pages_that_misbehave_are_read_all_the_same(visited)
    an_address_that_is_not_allowed_is_not_asked_for_anything(visited)
    windows_frames_and_downloads_are_not_fetched(visited)
    a_page_that_asks_without_end_is_given_what_is_allowed(visited)


def pages_that_misbehave_are_read_all_the_same(visited: Visited) -> None:
    sql = "SELECT url, rendering FROM renderings"
    rendered = {url.removeprefix(visited.url("")): how for url, how in rows(visited.crawled.store, sql)}
    found = {path for path in rendered if visited.crawled.state(visited.url(f"/found{path}"))}
    assert found == {path for path, how in rendered.items() if how == "rendered"}
    assert rendered.pop("/asks") in ("rendered", "unrendered")  # on a slow machine it does not answer in time
    assert rendered == dict.fromkeys(["/reloads", "/windows", "/downloads", "/inner"], "rendered")


def an_address_that_is_not_allowed_is_not_asked_for_anything(visited: Visited) -> None:
    assert [request.path for request in visited.web.log if request.address == INNER_ADDRESS] == []
    sql = "SELECT detail FROM renderings WHERE url = ?"
    [[detail]] = rows(visited.crawled.store, sql, visited.url("/inner"))
    assert "forbidden_address" in detail


def windows_frames_and_downloads_are_not_fetched(visited: Visited) -> None:
    asked = {request.path for request in visited.web.requests(BAD)}
    assert not {path for path in asked if path.startswith("/window/")}
    known = {url.removeprefix(visited.url("")) for [url] in rows(visited.crawled.store, "SELECT url FROM page")}
    assert {path for path in asked if not path.startswith("/more/")} <= known
    fetches = visited.web.fetches()
    assert (fetches[BAD, "/file.zip"], fetches[BAD, "/frame.zip"]) == (1, 1)  # by the crawl, as there are links to them


def a_page_that_asks_without_end_is_given_what_is_allowed(visited: Visited) -> None:
    more = [request for request in visited.web.requests(BAD) if request.path.startswith("/more/")]
    assert 0 < len(more) <= 10
