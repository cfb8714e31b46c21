"""`explain`: every step of the decision, with its reason."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from crawler.apps.cli import main
from tests.support.hinterland import crawled, start
from tests.support.web import LoopbackWeb

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
def test_the_status_of_robots_txt_decides_too(
    capsys: pytest.CaptureFixture[str], status: int, allowed: bool
) -> None:
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


@pytest.mark.parametrize("url", ["mailto:you@a.example", "ftp://a.example/", ""])
def test_what_is_no_web_address_is_an_error(capsys: pytest.CaptureFixture[str], url: str) -> None:
    assert main(["explain", url, "--offline"]) == 2
    assert "not a URL that can be crawled" in capsys.readouterr().err


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


async def test_a_private_address_is_not_asked() -> None:
    async with LoopbackWeb() as web:
        seed = web.page("a.test", "/")
        process = await start("explain", seed, "--set", "fetching.addresses=a.test=127.0.0.1")
        out, _ = await process.communicate()
        assert web.log == []
    assert out.startswith(b"It would not be fetched: a.test is at 127.0.0.1, which")


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
    assert texts["/gone"].startswith("It has failed for good and would not be tried again.")
    assert "number 1, failed, 1 link from a seed" in texts["/gone"]
    assert f"found on    {seed}" in texts["/gone"]
    assert "client_error (status 404), attempt 1" in texts["/gone"]
    assert texts["/no"].startswith("It would not be fetched: robots.txt forbids it.")
    assert texts["/new"].startswith("It would be fetched.")
    assert "no link to it has been seen" in texts["/new"]
