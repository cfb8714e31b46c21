"""Chosen response headers are kept with each page, in a table like those that rules fill."""

from __future__ import annotations

from pathlib import Path

import pytest

from hinterland.crawler.features.kept_headers.feature import MOST_CHARACTERS
from hinterland.crawler.features.recrawl.revisiting import Revisiting
from hinterland.crawler.settings import SettingsError, load_settings
from hinterland.storage.reading.opening import reading
from tests.support.crawling import crawl, rows
from tests.support.web import LoopbackWeb

KEPT = {"keep_headers": ("Cache-Control", "X-Served-By")}


def records(store: Path) -> list[tuple[str, str | None, str | None]]:
    """(path, cache_control, x_served_by) of each record."""
    found = rows(store, "SELECT url, cache_control, x_served_by FROM x_headers ORDER BY url")
    return [("/" + url.split("/", 3)[3], cache, served) for url, cache, served in found]


async def test_the_chosen_headers_of_each_page_are_kept(tmp_path: Path) -> None:
    async with LoopbackWeb() as web:
        seed = web.page("a.test", "/", links=["/b"], headers={"Cache-Control": "max-age=60", "X-Other": "no"})
        web.page("a.test", "/b", headers={"cache-control": "private", "X-Served-By": "cache-7"})
        await crawl(web.addresses, [seed], tmp_path / "s.db", storage=KEPT)
    assert records(tmp_path / "s.db") == [("/", "max-age=60", None), ("/b", "private", "cache-7")]


async def test_nothing_is_kept_unless_it_is_asked_for(tmp_path: Path) -> None:
    async with LoopbackWeb() as web:
        seed = web.page("a.test", "/", headers={"Cache-Control": "max-age=60"})
        await crawl(web.addresses, [seed], tmp_path / "s.db")
    assert rows(tmp_path / "s.db", "SELECT count(*) FROM record") == [(0,)]


async def test_a_page_that_has_changed_gets_the_headers_of_its_new_version(tmp_path: Path) -> None:
    async with LoopbackWeb() as web:
        seed = web.page("a.test", "/", headers={"Cache-Control": "max-age=60"})
        await crawl(web.addresses, [seed], tmp_path / "s.db", storage=KEPT)
        web.page("a.test", "/", html="<p>other words here now", headers={"Cache-Control": "no-store"})
        await crawl(web.addresses, [], tmp_path / "s.db", storage=KEPT, revisiting=Revisiting())
    assert records(tmp_path / "s.db") == [("/", "no-store", None)]


async def test_a_value_that_is_too_long_is_cut_and_the_page_says_so(tmp_path: Path) -> None:
    async with LoopbackWeb() as web:
        seed = web.page("a.test", "/", headers={"Cache-Control": "x" * (MOST_CHARACTERS + 1)})
        await crawl(web.addresses, [seed], tmp_path / "s.db", storage=KEPT)
    [(_, value, _)] = records(tmp_path / "s.db")
    assert value is not None
    assert len(value) == MOST_CHARACTERS
    with reading(tmp_path / "s.db") as store:
        [report] = store.extractions.reports()
    assert list(report.problems) == ["too long: cache_control"]


async def test_a_crawl_goes_on_without_the_setting_and_keeps_what_it_has(tmp_path: Path) -> None:
    async with LoopbackWeb() as web:
        seed = web.page("a.test", "/", links=["/b"], headers={"Cache-Control": "max-age=60"})
        web.page("a.test", "/b", headers={"Cache-Control": "private"})
        await crawl(web.addresses, [seed], tmp_path / "s.db", storage=KEPT, max_pages=1)
        await crawl(web.addresses, [], tmp_path / "s.db")
    assert records(tmp_path / "s.db") == [("/", "max-age=60", None)]


@pytest.mark.parametrize("name, said", [("no name", "is not the name of a response header"), ("Set-Cookie", "cookies")])
def test_what_is_no_header_or_a_secret_is_refused(name: str, said: str) -> None:
    with pytest.raises(SettingsError, match=said):
        load_settings(None, "", {}, [f'storage.keep_headers=["{name}"]'], {})
