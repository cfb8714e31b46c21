"""What a site lists for language models is crawled if asked for; and Markdown is asked for where it is preferred."""

from __future__ import annotations

from pathlib import Path

import pytest

from hinterland.crawler.parsing.documents.reading import kind_of
from hinterland.crawler.settings import FetchingSettings
from hinterland.crawler.settings.rules import SettingsError
from tests.support.crawling import crawl, fetched, links, rows
from tests.support.web import Answer, Exchange, LoopbackWeb

LISTED = b"# Ferries\n\n> All about ferries.\n\n## Docs\n\n- [Timetable](/hidden/timetable.md): when boats go\n"


def site(web: LoopbackWeb) -> str:
    web.answer("a.test", "/llms.txt", Answer(LISTED, content_type="text/plain; charset=utf-8"))
    web.answer(
        "a.test", "/hidden/timetable.md", Answer(b"# Timetable\n\nAt [noon](/noon).", content_type="text/markdown")
    )
    web.page("a.test", "/noon")
    return web.page("a.test", "/docs/", links=["/docs/b"])


@pytest.mark.slow
async def test_pages_that_only_llms_txt_lists_are_found_if_it_is_followed(tmp_path: Path) -> None:
    async with LoopbackWeb() as web:
        seed = site(web)
        web.page("a.test", "/docs/b")
        plain = await crawl(web.addresses, [seed], tmp_path / "plain.db")
        assert fetched(plain.store) == {seed, web.url("a.test", "/docs/b")}
        done = await crawl(web.addresses, [seed], tmp_path / "s.db", llms_txt={"follow": True})
        paths = ("/llms.txt", "/hidden/timetable.md", "/noon")
        assert fetched(done.store) >= {web.url("a.test", path) for path in paths}
        titles = dict(rows(done.store, "SELECT url, title FROM pages"))
        assert titles[web.url("a.test", "/llms.txt")] == "Ferries"
        assert (web.url("a.test", "/llms.txt"), web.url("a.test", paths[1]), "a") in links(done.store)


@pytest.mark.slow
async def test_with_a_prefix_as_scope_the_file_beside_the_seed_counts(tmp_path: Path) -> None:
    async with LoopbackWeb() as web:
        seed = site(web)
        web.page("a.test", "/docs/b")
        await crawl(web.addresses, [seed], tmp_path / "s.db", llms_txt={"follow": True}, scope={"kind": "prefix"})
    assert {each.path for each in web.log} == {"/robots.txt", "/docs/", "/docs/b", "/docs/llms.txt"}


@pytest.mark.slow
async def test_markdown_is_asked_for_and_read_where_a_site_has_it(tmp_path: Path) -> None:
    async def negotiates(exchange: Exchange) -> None:
        if exchange.request.headers["accept"].startswith("text/markdown"):
            await Answer(b"# As Markdown\n\n[on](/next)", content_type="text/markdown")(exchange)
        else:
            await Answer(b"<title>As HTML</title>")(exchange)

    async with LoopbackWeb() as web:
        seed = web.answer("a.test", "/", negotiates)
        web.page("a.test", "/next")
        wanted = {"accept_markdown": True, "documents": ("markdown",)}
        done = await crawl(web.addresses, [seed], tmp_path / "s.db", fetching=wanted)
    assert dict(rows(done.store, "SELECT url, title FROM pages"))[seed] == "As Markdown"
    assert fetched(done.store) == {seed, web.url("a.test", "/next")}


def test_asking_for_markdown_without_reading_it_is_refused() -> None:
    with pytest.raises(SettingsError, match='add "markdown" to documents'):
        FetchingSettings(accept_markdown=True)


@pytest.mark.parametrize(
    "url, kind",
    [
        ("http://a.test/llms.txt", "markdown"),
        ("http://a.test/x/llms-full.txt", "markdown"),
        ("http://a.test/notes.txt", "text"),
        ("http://a.test/myllms.txt", "text"),
    ],
)
def test_llms_txt_is_markdown_by_whatever_type_it_is_sent(url: str, kind: str) -> None:
    assert kind_of("text/plain", url) == kind
