"""`explain`: every step of the decision, with its reason."""

from __future__ import annotations

import json
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from hinterland.cli import main
from hinterland.cli.explain import robots_sources
from hinterland.cli.explain.explanation import Robots, UrlExplanation, verdict_on
from hinterland.crawler.fetching.robots.rules import ALLOW_ALL, RobotsAvailability
from hinterland.crawler.urls.hosts import host_of
from hinterland.library.text.wording import moment
from hinterland.storage.values.hosts import StoredRobots
from hinterland.storage.values.pages import NamedPage, Page
from tests.support.crawling import quick_settings
from tests.support.hinterland import crawled, start
from tests.support.in_process import complaint, said
from tests.support.web import Answer, Handler, LoopbackWeb

ROBOTS = """\
User-agent: *
Crawl-delay: 500
Disallow: /private
Allow: /private/open
Sitemap: https://a.example/sitemap.xml
"""


@pytest.fixture
def robots(tmp_path: Path) -> str:
    file = tmp_path / "robots.txt"
    file.write_text(ROBOTS)
    return str(file)


def explained(capsys: pytest.CaptureFixture[str], *arguments: str) -> dict[str, Any]:
    assert main(["explain", *arguments, "--json"]) == 0
    answer: dict[str, Any] = json.loads(capsys.readouterr().out)
    return answer


def test_a_url_is_shown_in_its_canonical_form(capsys: pytest.CaptureFixture[str]) -> None:
    answer = explained(capsys, "HTTP://WWW.Example.CO.UK:80/a/../b?utm_source=x&y=%7e#z", "--offline")
    assert answer["canonical"] == "http://www.example.co.uk/b?y=~"
    assert answer["host"] == "http://www.example.co.uk"
    assert answer["site"] == "example.co.uk"


def test_the_deciding_line_of_a_robots_file_is_named(capsys: pytest.CaptureFixture[str], robots: str) -> None:
    answer = explained(capsys, "https://a.example/private/x", "--robots", robots)
    assert not answer["would_be_fetched"]
    assert answer["robots"]["line_number"] == 3
    assert answer["robots"]["line"] == "Disallow: /private"
    assert answer["robots"]["group"] == "*"
    assert answer["robots"]["sitemaps"] == ["https://a.example/sitemap.xml"]


def test_a_long_crawl_delay_is_capped(capsys: pytest.CaptureFixture[str], robots: str) -> None:
    answer = explained(capsys, "https://a.example/", "--robots", robots)
    assert answer["robots"]["crawl_delay"] == 500
    assert answer["rest_seconds"] == 300


def test_seeds_draw_the_scope(capsys: pytest.CaptureFixture[str], robots: str) -> None:
    inside = explained(capsys, "https://a.example/", "--robots", robots, "--seed", "https://a.example/x")
    outside = explained(capsys, "https://b.example/", "--robots", robots, "--seed", "https://a.example/x")
    unknown = explained(capsys, "https://b.example/", "--robots", robots)
    assert inside["scope"] == {"is_local": True, "rule": "host a.example is local"}
    assert inside["conclusion"] == "It would be fetched."
    assert outside["conclusion"] == "It would not be fetched: it is outside the scope."
    assert unknown["scope"] is None
    assert unknown["conclusion"] == "It would be fetched, if its seeds make it local."


@pytest.mark.parametrize("status, allowed", [(200, True), (404, True), (429, False), (503, False)])
def test_the_status_of_robots_txt_decides_too(capsys: pytest.CaptureFixture[str], status: int, allowed: bool) -> None:
    answer = explained(capsys, "https://a.example/", "--robots-status", str(status))
    assert answer["robots"]["allowed"] is allowed


def test_the_words_are_for_people_and_cannot_steer_their_terminal(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    file = tmp_path / "robots.txt"
    file.write_bytes(b"User-agent: *\nDisallow: /a # \x1b[2J\n")
    assert main(["explain", "https://a.example/a", "--robots", str(file)]) == 0
    said = capsys.readouterr().out
    assert said.startswith("It would not be fetched: robots.txt forbids it.\n")
    assert "  rule        forbidden by line 2: Disallow: /a # \\x1b[2J\n" in said


@pytest.mark.parametrize(
    "url, complaint",
    [
        ("mailto:you@a.example", "not a URL that can be crawled"),
        ("ftp://a.example/", "not a URL that can be crawled"),
        ("", "'' names no host; write it as https://example.org/"),
    ],
)
def test_what_is_no_web_address_is_an_error(capsys: pytest.CaptureFixture[str], url: str, complaint: str) -> None:
    assert main(["explain", url, "--offline"]) == 2
    assert complaint in capsys.readouterr().err


@pytest.mark.slow
async def test_without_a_file_robots_txt_is_asked_for_once_and_redirects_are_followed() -> None:
    async with LoopbackWeb() as web:
        web.redirect("a.test", "/robots.txt", ("b.test", "/real.txt"))
        web.page("b.test", "/real.txt", html="User-agent: *\nDisallow: /no")
        process = await start("explain", web.url("a.test", "/no"), web=web)
        out, _ = await process.communicate()
        asked = [(request.host, request.path) for request in web.log]
    assert asked == [("a.test", "/robots.txt"), ("b.test", "/real.txt")]
    assert b"forbidden by line 2: Disallow: /no" in out
    assert b"address     127.0.0.1" in out


@pytest.mark.slow
async def test_a_private_address_is_not_asked() -> None:
    async with LoopbackWeb() as web:
        seed = web.page("a.test", "/")
        process = await start("explain", seed, "--set", "fetching.addresses=a.test=127.0.0.1")
        out, _ = await process.communicate()
        assert web.log == []
    assert out.startswith(b"It would not be fetched: a.test is at 127.0.0.1, which")


@pytest.mark.slow
async def test_a_store_tells_what_is_known_of_a_page(tmp_path: Path) -> None:
    store = str(tmp_path / "s.db")
    async with LoopbackWeb() as web:
        web.robots("a.test", "User-agent: *\nDisallow: /no")
        seed = web.page("a.test", "/", links=["/gone", "/no"])
        await crawled(web, Path(store), seed)
        asked = len(web.log)
        texts = {}
        for path in ("/gone", "/no", "/new"):
            process = await start("explain", web.url("a.test", path), "--store", store)
            texts[path] = (await process.communicate())[0].decode()
        assert len(web.log) == asked
    assert texts["/gone"].startswith("It has failed for good and would not be retried.")
    assert "number 1, failed, 1 link from a seed" in texts["/gone"]
    assert f"found on    {seed}" in texts["/gone"]
    assert "client_error (status 404), attempt 1" in texts["/gone"]
    assert texts["/no"].startswith("It would not be fetched: robots.txt forbids it.")
    assert texts["/new"].startswith("It would be fetched.")
    assert "no link to it has been seen" in texts["/new"]


def test_a_status_is_tried_together_with_a_file(capsys: pytest.CaptureFixture[str], robots: str) -> None:
    given = ("https://a.example/private", "--robots", robots, "--robots-status")
    assert explained(capsys, *given, "200")["robots"]["line"] == "Disallow: /private"
    assert explained(capsys, *given, "404")["would_be_fetched"]


def test_a_robots_file_that_cannot_be_read_is_an_error(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    told = complaint(capsys, "explain", "https://a.example/", "--robots", tmp_path / "none.txt")
    assert "the file given to --robots cannot be read" in told


def test_a_seed_that_cannot_be_crawled_draws_no_scope_and_is_warned_of(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", "https://a.example/", "--offline", "--seed", "mailto:you@a.example", "--json"]) == 0
    said_so = capsys.readouterr()
    assert "warning: " in said_so.err
    assert "mailto:you@a.example" in said_so.err
    assert json.loads(said_so.out)["scope"] is None


def test_crawl_delay_and_sitemaps_are_shown_in_words(capsys: pytest.CaptureFixture[str], robots: str) -> None:
    told = said(capsys, "explain", "https://a.example/", "--robots", robots)
    assert "  crawl-delay  500 s, counted as 300 s\n" in told
    assert "  sitemaps     https://a.example/sitemap.xml\n" in told
    assert "  rule         allowed: no line of the group matches\n" in told


def test_the_sitemaps_of_a_robots_file_without_a_group_for_us_are_shown_too(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    file = tmp_path / "robots.txt"
    file.write_text("".join(f"Sitemap: https://a.example/{number}.xml\n" for number in range(7)))
    told = said(capsys, "explain", "https://a.example/", "--robots", file)
    assert 'none for "Hinterland" and none for "*", so everything is allowed' in told
    assert [line.split()[-1] for line in told.splitlines() if ".xml" in line] == [
        f"https://a.example/{number}.xml" for number in range(5)
    ]
    assert told.rstrip().splitlines()[-2].strip() == "and 2 more"


def test_robots_txt_that_cannot_be_had_forbids_all_and_says_so(capsys: pytest.CaptureFixture[str]) -> None:
    told = said(capsys, "explain", "https://a.example/", "--robots-status", "503")
    assert told.startswith("It would not be fetched: robots.txt cannot be read, and until it can, nothing is fetched")
    assert "cannot be read, so nothing is fetched until it can (RFC 9309, 2.3.1.4)" in told
    told = said(capsys, "explain", "https://a.example/", "--robots-status", "404")
    assert "there is none for us, so everything is allowed (RFC 9309, 2.3.1.3)" in told


SETTINGS = quick_settings({})
WAITING = Page(
    number=3,
    url="http://a.test/old",
    host="http://a.test",
    state="waiting",
    is_local=True,
    depth=2,
    **dict.fromkeys(("referrer", "visit", "outcome", "detail", "attempt", "retry_at", "fetched_at", "seconds")),
    **dict.fromkeys(("status", "content_type", "charset", "wire_bytes", "body_bytes", "last_modified")),
    **dict.fromkeys(("redirect_target", "canonical", "title", "description", "language")),
    is_noindex=False,
    is_nofollow=False,
    cut={},
)


def explanation(page: Page) -> UrlExplanation:
    robots = Robots(RobotsAvailability.AVAILABLE, ALLOW_ALL, "a file")
    verdict = verdict_on(robots, page.url)
    return UrlExplanation(
        page.url, page.url, page.host, "a.test", None, robots, verdict, 1.0, SETTINGS, page=page, store="s.db"
    )


def test_explain_says_that_a_page_moved_or_will_be_retried() -> None:
    target = NamedPage(4, "http://a.test/new\x1b", None)
    rows = dict(explanation(replace(WAITING, state="redirected", redirect_target=target)).rows())
    assert rows["leads to"] == "http://a.test/new\\x1b"
    assert "next try" not in rows
    rows = dict(explanation(replace(WAITING, retry_at=1e9)).rows())
    assert rows["next try"] == f"not before {moment(1e9)}"
    assert "leads to" not in rows


def test_a_page_that_lies_deeper_than_the_limit_would_not_be_fetched() -> None:
    shallow = replace(SETTINGS, scope=replace(SETTINGS.scope, max_depth=1))
    waiting = explanation(WAITING)
    assert waiting.conclusion == "It would be fetched, if its seeds make it local."
    assert replace(waiting, settings=shallow).conclusion == (
        "It would not be fetched: it is deeper than scope.max_depth = 1."
    )


@pytest.mark.parametrize("ahead, word", [(60.4, "trusted for another 1 min 00 s"), (-60.0, "to be fetched again")])
def test_robots_txt_of_a_store_is_shown_with_the_trust_it_has(ahead: float, word: str) -> None:
    now = time.time()
    stored = StoredRobots(200, now - 30, now + ahead, b"User-agent: *\nDisallow: /no")
    robots = robots_sources.from_store(stored, "s.db", SETTINGS)
    assert robots.source.startswith("status 200, fetched 30 s ago, ")
    assert word in robots.source
    assert not verdict_on(robots, "http://a.test/no").allowed


@pytest.mark.parametrize(
    "handler, availability, told",
    [
        (Answer(b"User-agent: *\nDisallow: /no"), RobotsAvailability.AVAILABLE, "status 200, 27 bytes"),
        (Answer(b"", status=404), RobotsAvailability.UNAVAILABLE, "status 404"),
        (Answer(b"", status=503), RobotsAvailability.UNREACHABLE, "status 503"),
        (Answer(b"?", headers={"Content-Encoding": "gzip"}), RobotsAvailability.UNREACHABLE, "corrupt, "),
    ],
)
async def test_a_host_is_asked_for_its_robots_txt_as_a_crawl_would_ask_it(
    handler: Handler, availability: RobotsAvailability, told: str
) -> None:
    async with LoopbackWeb() as web:
        web.answer("a.test", "/robots.txt", handler)
        settings = quick_settings(web.addresses)
        robots, address = await robots_sources.from_host(host_of(web.url("a.test", "/")), settings)
    assert address == "127.0.0.1"
    assert robots.availability is availability
    assert f"/robots.txt: {told}" in robots.source
