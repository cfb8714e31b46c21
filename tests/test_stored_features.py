"""A feature that says something about stored pages is heard everywhere, without being known anywhere."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Any

import pytest

from hinterland.cli.commands import main
from hinterland.crawler.assembly import stored_features
from hinterland.crawler.fetching.robots.rules import RobotsRules
from hinterland.crawler.loop.stored_feature import Remark, StoredFeature
from hinterland.crawler.settings import SearchSettings
from hinterland.library.exporting import export
from hinterland.library.searching import build_index, search_pages
from hinterland.storage.reading.opening import reading
from hinterland.storage.reading.reader import StoreReader
from hinterland.storage.values.pages import Page
from hinterland.storage.values.uses import RefusedPages, Use
from hinterland.web.assistants.asked_stores import AskedStores
from hinterland.web.assistants.calls import called
from hinterland.web.assistants.tools import TOOLS
from hinterland.web.page_view import whole_page
from tests.support.crawling import crawl
from tests.support.web import LoopbackWeb

PATH = "/harbour"
SEAL = "\x1b[31mwax"


def page_at(store: StoreReader, path: str) -> Page:
    [(url,)] = store.connection.execute("SELECT url FROM page WHERE url LIKE '%' || ?", (path,))
    page = store.pages.by_url(url)
    assert page is not None
    return page


class Seals(StoredFeature):
    """A feature of a test: the page about the harbour bears a seal, and is for nobody's use."""

    def __init__(self, store: StoreReader | None, agent: str) -> None:
        self._store = store

    def remarks(self, url: str, page: int | None, rules: RobotsRules | None) -> Sequence[Remark]:
        return [Remark("seal", "seal", [SEAL, "unbroken"] if url.endswith(PATH) else [], url.endswith(PATH))]

    def refusing(self, uses: Collection[Use]) -> RefusedPages:
        assert self._store is not None
        refused = RefusedPages()
        refused.add(self._sealed(), ["sealed"])
        return refused

    def refusals(self, page: int, use: Use) -> Sequence[str]:
        return [f"sealed with {SEAL}"] if page == self._sealed() else []

    def preferences(self, page: int) -> dict[Use, bool]:
        return dict.fromkeys(Use, False) if page == self._sealed() else {}

    def about_host(self, host: int) -> Sequence[str]:
        return ["it seals pages"]

    def _sealed(self) -> int:
        assert self._store is not None
        return page_at(self._store, PATH).number


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store with its index: the page about the harbour, and one about the walrus that links to it."""
    path = tmp_path_factory.mktemp("seals") / "site.db"

    async def make() -> None:
        async with LoopbackWeb() as web:
            seed = web.page("a.test", "/", html='<title>Walrus</title><p>pier <a href="/harbour">harbour</a>')
            web.page("a.test", "/harbour", html="<title>Harbour</title><p>pier and boats")
            await crawl(web.addresses, [seed], path)

    asyncio.run(make())
    build_index(path)
    return path


@pytest.fixture
def seals(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stored_features, "STORED_FEATURES", (*stored_features.STORED_FEATURES, Seals))


def values(stores: AskedStores, tool: str, **arguments: Any) -> dict[str, Any]:
    result = called(TOOLS[tool], stores, arguments)
    assert result.values is not None, result.text
    return dict(result.values)


@pytest.mark.usefixtures("seals")
def test_explain_shows_the_remarks_of_a_feature_with_its_control_characters_gone(
    store: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with reading(store) as reader:
        url = page_at(reader, PATH).url
    assert main(["explain", url, "--store", str(store)]) == 0
    lines = [line.split() for line in capsys.readouterr().out.splitlines()]
    place = next(place for place, words in enumerate(lines) if words[:1] == ["seal"])
    assert "\x1b" not in " ".join(lines[place])
    assert lines[place + 1] == ["unbroken"]
    assert main(["explain", url, "--json", "--offline"]) == 0
    assert json.loads(capsys.readouterr().out)["seal"] is True


@pytest.mark.usefixtures("seals")
def test_the_page_view_shows_only_remarks_that_say_something(store: Path) -> None:
    with reading(store) as reader:
        shown, plain = (whole_page(reader, page_at(reader, path).number) for path in (PATH, "/"))
    assert shown is not None
    assert plain is not None
    assert [(each.label, list(each.lines)) for each in shown.remarks] == [("seal", [SEAL, "unbroken"])]
    assert plain.remarks == []


@pytest.mark.usefixtures("seals")
def test_an_export_for_a_use_leaves_out_what_a_feature_refuses(store: Path, tmp_path: Path) -> None:
    done = export(store, "jsonl", tmp_path / "c.jsonl", usage="train-ai")
    assert [json.loads(line)["title"] for line in (tmp_path / "c.jsonl").read_text().splitlines()] == ["Walrus"]
    assert done.written.left_out["no train-ai, says “sealed”"] == 1
    manifest = json.loads((tmp_path / "c.jsonl.manifest.json").read_text())
    assert manifest["hosts"][0]["statements"] == ["it seals pages"]
    export(store, "chunks", tmp_path / "chunks.jsonl")
    chunks = [json.loads(line) for line in (tmp_path / "chunks.jsonl").read_text().splitlines()]
    assert {each["title"]: each["usage"] for each in chunks}["Harbour"] == dict.fromkeys(map(str, Use), False)


@pytest.mark.usefixtures("seals")
def test_an_index_leaves_out_what_a_feature_refuses(store: Path, tmp_path: Path) -> None:
    assert {hit.title_text for hit in search_pages(store, "pier").hits} == {"Walrus", "Harbour"}
    build_index(store, index=tmp_path / "i")
    assert {hit.title_text for hit in search_pages(store, "pier", index=tmp_path / "i").hits} == {"Walrus"}


@pytest.mark.usefixtures("seals")
def test_assistants_get_no_text_that_a_feature_refuses_and_read_why(store: Path) -> None:
    stores = AskedStores([store], SearchSettings())
    hits = {hit["title"]: hit for hit in values(stores, "search", query="pier")["hits"]}
    assert {title: bool(hit["snippet"]) for title, hit in hits.items()} == {"Harbour": False, "Walrus": True}
    read = values(stores, "read_page", url=hits["Harbour"]["url"])
    assert (read["text"], "\x1b" in read["reason"]) == ("", False)
    assert read["reason"].startswith("its site disallows input of AI systems: sealed with")
