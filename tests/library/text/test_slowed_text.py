"""Endless spaces in words: which shape a URL is of, and how to fetch it all the same."""

from __future__ import annotations

import asyncio
import json
import re
import shlex
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from hinterland.cli import main
from hinterland.library.text.slowed_text import shape_of, slowed_lines, trust_option
from hinterland.storage.values.hosts import SlowedReport
from tests.support.crawling import crawl, rows
from tests.support.web import LoopbackWeb


def slowed(shape: str, host: str = "https://a.example", left: int = 7) -> SlowedReport:
    return SlowedReport(host, shape, "repeats", 1692, 500, 0, left)


def test_nothing_is_said_where_nothing_is_slowed_down() -> None:
    assert list(slowed_lines([])) == []


def test_a_slowed_shape_is_shown_with_its_reason_its_cost_and_what_is_left() -> None:
    text = "\n".join(slowed_lines([slowed("/months?at")]))
    assert "1 shape" in text
    for part in ("https://a.example/months?at", "1,692 visited", "500 in vain", "7 left", "their content is known"):
        assert part in text


def test_of_many_slowed_shapes_some_are_shown_and_the_others_counted() -> None:
    lines = list(slowed_lines([slowed(f"/{letter}/…") for letter in "abcdefgh"]))
    assert sum("https://a.example/" in line for line in lines) == 5
    assert "3 more" in lines[-1]


def test_a_url_is_explained_by_the_narrowest_of_its_shapes() -> None:
    shapes = [slowed("/cal/…"), slowed("/cal/{n}/{n}"), slowed("/cal/{n}/{n}", "https://b.example"), slowed("/shop?id")]
    found = shape_of("https://a.example/cal/2031/4", shapes)
    assert found == shapes[1]
    assert shape_of("https://a.example/docs/4", shapes) is None


@pytest.mark.parametrize(
    "shape, url",
    [
        ("/months?at", "https://a.example/months?at=12"),
        ("/cal/{n}/…", "https://a.example/cal/2031-04/x/y"),
        ("/s/{token}/goods/{n}.html", "https://a.example/s/8f3a09bd1177/goods/12.html"),
        ("/b/*/*.html", "https://a.example/b/some/page.html"),
        ("/a/b/b/+", "https://a.example/a/b/b/b/b/b"),
        ("/(S({token}))/…", "https://a.example/(S(f3a09bd118ab))/shop"),
    ],
)
def test_what_is_said_to_trust_a_shape_matches_its_urls_and_not_those_of_others(shape: str, url: str) -> None:
    [option] = shlex.split(trust_option(slowed(shape)))
    [pattern] = json.loads(option.removeprefix("traps.trusted="))
    assert re.search(pattern, url)
    assert not re.search(pattern, "https://a.example/docs/intro.html")
    assert not re.search(pattern, url.replace("a.example", "b.example"))


async def crawl_two_pages(store: Path) -> None:
    async with LoopbackWeb() as web:
        await crawl(web.addresses, [web.page("a.test", "/", links=["/months?at=1"])], store)


@pytest.fixture
def store(tmp_path: Path) -> Path:
    """Reports on a crawl of two pages, with a shape on the first host slowed down."""
    path = tmp_path / "store.db"
    asyncio.run(crawl_two_pages(path))
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("INSERT INTO slowed VALUES (0, '/months?at', 'repeats', 700, 500, 0, 12)")
    return path


def test_status_tells_what_is_slowed_down(store: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["status", str(store)]) == 0
    assert "/months?at  700 visited  500 in vain  12 left" in capsys.readouterr().out
    assert main(["status", str(store), "--json"]) == 0
    [told] = json.loads(capsys.readouterr().out)["slowed"]
    assert told["shape"] == "/months?at"
    assert told["left_waiting"] == 12


def test_explain_says_why_a_url_goes_last_and_how_to_overrule_it(
    store: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    [(host,)] = rows(store, "SELECT url FROM host WHERE id = 0")
    command = ["explain", f"{host}/months?at=99", "--store", str(store), "--offline"]
    assert main(command) == 0
    text = capsys.readouterr().out
    assert text.startswith("It would be fetched after everything else on its host")
    assert "/months?at is endless" in text
    [option] = re.findall(r"--set ('traps\.trusted=.*')", text)
    assert main([*command, "--set", shlex.split(option)[0]]) == 0
    assert "endless" not in capsys.readouterr().out
    assert main([*command, "--set", "traps.enabled=false", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["slowed"] is None


@pytest.mark.parametrize("left, is_endless", [(0, False), (12, True)])
def test_only_urls_that_are_left_waiting_are_called_endless(left: int, is_endless: bool) -> None:
    manuals = SlowedReport("https://a.example", "/docs/{n}/es/mod/…", "repeats", 68, 9, 0, left)
    text = "\n".join(slowed_lines([manuals]))
    assert "visited last on their host" in text
    assert "68 visited" in text
    assert ("apparently endless" in text) == is_endless
