"""What pages and sites say of their use is kept, and what they refuse is known."""

from __future__ import annotations

from pathlib import Path

from hinterland.crawler.features.recrawl.revisiting import Revisiting
from hinterland.crawler.features.usage.stored_statements import StoredStatements
from hinterland.crawler.features.usage.stored_usage import StoredUsage
from hinterland.storage.reading.opening import reading
from hinterland.storage.values.uses import Use
from tests.support.crawling import crawl, rows
from tests.support.web import LoopbackWeb

AGENT = "hinterland"


def statements(store: Path) -> list[tuple[str, str, int | None, int | None]]:
    """(path, statement, search, train_ai) of each stored statement."""
    sql = "SELECT url, statement, search, train_ai FROM x_usage_statements ORDER BY url, record"
    return [
        ("/" + url.split("/", 3)[3], statement, search, train) for url, statement, search, train in rows(store, sql)
    ]


def refusing(store: Path, *uses: Use) -> tuple[set[str], dict[str, int]]:
    """The paths of the pages that refuse a use, and how many say it in which words."""
    with reading(store) as reader:
        found = StoredUsage(reader, AGENT).refusing(uses)
        urls = {
            reader.connection.execute("SELECT url FROM page WHERE id = ?", (page,)).fetchone()[0]
            for page in found.pages
        }
    return {"/" + url.split("/", 3)[3] for url in urls}, dict(found.reasons)


async def test_header_fields_and_meta_elements_are_kept_with_their_page(tmp_path: Path) -> None:
    async with LoopbackWeb() as web:
        seed = web.page("a.test", "/", links=["/b", "/c", "/d"], headers={"Content-Usage": "train-ai=n, search=y"})
        web.page(
            "a.test", "/b", html='<meta name="robots" content="noai, index"><meta name="tdm-reservation" content="1">'
        )
        web.page("a.test", "/c", headers={"X-Robots-Tag": "noai", "TDM-Reservation": "0"})
        web.page("a.test", "/d", headers={"X-Robots-Tag": "noarchive"})
        await crawl(web.addresses, [seed], tmp_path / "s.db")
    assert statements(tmp_path / "s.db") == [
        ("/", "content-usage: train-ai=n, search=y", 1, 0),
        ("/b", "robots: noai, index", None, 0),
        ("/b", "tdm-reservation: 1", None, 0),
        ("/c", "x-robots-tag: noai", None, 0),
        ("/c", "tdm-reservation: 0", None, None),
    ]


async def test_a_page_that_has_changed_loses_what_it_said_before(tmp_path: Path) -> None:
    async with LoopbackWeb() as web:
        seed = web.page("a.test", "/", headers={"Content-Usage": "train-ai=n"})
        await crawl(web.addresses, [seed], tmp_path / "s.db")
        web.page("a.test", "/", html="<p>other words here now")
        await crawl(web.addresses, [], tmp_path / "s.db", revisiting=Revisiting())
    assert statements(tmp_path / "s.db") == []


async def test_pages_that_refuse_a_use_are_found_by_all_kinds_of_statements(tmp_path: Path) -> None:
    async with LoopbackWeb() as web:
        paths = ["/plain", "/no/1", "/no/2", "/header", "/both"]
        seed = web.page("a.test", "/", links=paths)
        for path in paths:
            headers = {"Content-Usage": "train-ai=n"} if path in ("/header", "/both") else {}
            web.page("a.test", path, headers=headers)
        web.robots("a.test", "User-agent: *\nContent-Usage: /no/ train-ai=n\nContent-Usage: /both search=n\n")
        await crawl(web.addresses, [seed], tmp_path / "s.db")
    store = tmp_path / "s.db"
    assert refusing(store, Use.TRAIN_AI) == (
        {"/no/1", "/no/2", "/header", "/both"},
        {"content-usage: /no/ train-ai=n": 2, "content-usage: train-ai=n": 2},
    )
    assert refusing(store, Use.SEARCH) == ({"/both"}, {"content-usage: /both search=n": 1})
    assert refusing(store, Use.AI_INPUT) == (set(), {})
    assert refusing(store, *Use)[0] == {"/no/1", "/no/2", "/header", "/both"}


async def test_the_preferences_of_a_page_combine_what_its_host_and_it_say(tmp_path: Path) -> None:
    async with LoopbackWeb() as web:
        seed = web.page("a.test", "/", headers={"Content-Usage": "train-ai=y"})
        web.robots("a.test", "User-agent: *\nContent-Signal: search=yes, ai-train=no\n")
        await crawl(web.addresses, [seed], tmp_path / "s.db")
    with reading(tmp_path / "s.db") as reader:
        statements = StoredStatements(reader, AGENT)
        assert StoredUsage(reader, AGENT).preferences(0) == {Use.SEARCH: True, Use.TRAIN_AI: False}
        assert [each.source for each in statements.of_page(0)] == ["robots.txt", "header"]
        assert statements.of_page(99) == []


async def test_a_crawl_of_pages_that_say_nothing_shows_no_table_of_statements(tmp_path: Path) -> None:
    async with LoopbackWeb() as web:
        await crawl(web.addresses, [web.page("a.test", "/")], tmp_path / "s.db")
    with reading(tmp_path / "s.db") as reader:
        assert reader.extractions.names() == []
        assert list(reader.extractions.reports()) == []
