"""The words of the links to a page, the most frequent first; of a page with many links, those of some."""

from __future__ import annotations

from pathlib import Path

import pytest

from hinterland.storage.reading import links
from hinterland.storage.reading.opening import reading
from tests.support.crawling import crawl
from tests.support.web import LoopbackWeb


@pytest.mark.slow
async def test_of_many_links_the_words_of_some_from_all_over_are_counted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with LoopbackWeb() as web:
        home = web.page("a.test", "/", links=[f"/{number}" for number in range(9)])
        for number in range(9):
            words = "first" if number == 0 else "last" if number > 5 else "others"
            web.page("a.test", f"/{number}", html=f"<a href=/hub>{words}</a>")
        hub = web.page("a.test", "/hub", html="x")
        await crawl(web.addresses, [home], tmp_path / "s.db")
    with reading(tmp_path / "s.db") as store:
        page = store.pages.number_of(hub)
        assert page is not None
        assert store.links.anchors(page, 9) == ["others", "last", "first"]
        monkeypatch.setattr(links, "_WORDS_OF", 2)
        assert set(store.links.anchors(page, 9)) == {"first", "last"}
