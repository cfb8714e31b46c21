"""Exports and indexes leave out what sites refuse, say how much that is, and explain why."""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from hinterland.cli.commands import main
from hinterland.library.errors import HinterlandError
from hinterland.library.exporting import export
from hinterland.library.searching import build_index, search_pages
from hinterland.storage.reading.opening import reading
from tests.support.crawling import crawl
from tests.support.web import LoopbackWeb

ROBOTS = "User-agent: *\nContent-Usage: /private/ search=n\nContent-Signal: ai-input=no\n"


@pytest.fixture(scope="module")
def crawled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store of four pages: / allows what it can, /own refuses training, /private/1 search, all the input of AI."""
    import asyncio

    folder = tmp_path_factory.mktemp("usage")

    async def make() -> None:
        async with LoopbackWeb() as web:
            seed = web.page("a.test", "/", links=["/own", "/private/1"])
            web.page("a.test", "/own", html="<title>Own</title><p>walrus", headers={"Content-Usage": "train-ai=n"})
            web.page("a.test", "/private/1", html="<title>Private</title><p>walrus")
            web.robots("a.test", ROBOTS)
            await crawl(web.addresses, [seed], folder / "site.db")

    asyncio.run(make())
    return folder / "site.db"


@pytest.fixture
def store(crawled: Path, tmp_path: Path) -> Path:
    return Path(shutil.copy(crawled, tmp_path / "site.db"))


def exported(store: Path, usage: str | None) -> tuple[list[str], Mapping[str, int], Mapping[str, Any] | None]:
    """The paths of the exported pages, what was left out, and the manifest."""
    target = store.with_suffix(".jsonl")
    written = export(store, "jsonl", target, usage=usage, force=True, note=lambda _: None).written
    manifest = Path(f"{target}.manifest.json")
    paths = ["/" + json.loads(line)["url"].split("/", 3)[3] for line in target.read_text().splitlines()]
    return paths, written.left_out, json.loads(manifest.read_text()) if manifest.exists() else None


def test_an_export_for_a_use_leaves_out_pages_that_refuse_it_and_counts_them(store: Path) -> None:
    assert exported(store, None) == (["/", "/own", "/private/1"], {}, None)
    paths, left_out, manifest = exported(store, "train-ai")
    assert paths == ["/", "/private/1"]
    assert left_out == {"no train-ai, says “content-usage: train-ai=n”": 1}
    assert manifest is not None
    assert (manifest["uses"], manifest["pages"], manifest["left_out"]) == (["train-ai"], 2, 1)
    [host] = manifest["hosts"]
    assert (host["pages"], host["left_out"]) == (2, 1)
    assert host["statements"] == ["content-usage: /private/ search=n", "content-signal: ai-input=no"]
    assert host["first_fetched"] <= host["last_fetched"] <= manifest["exported_at"]
    assert exported(store, "any")[0] == []


def test_links_cannot_be_exported_for_a_use(store: Path) -> None:
    with pytest.raises(HinterlandError, match="--usage is for pages and records"):
        export(store, "jsonl", store.with_suffix(".x"), what="links", usage="search")


def test_a_use_that_does_not_exist_is_an_error_that_names_the_others(store: Path) -> None:
    with pytest.raises(HinterlandError, match="train-ai"):
        export(store, "jsonl", store.with_suffix(".x"), usage="train")


def test_what_refuses_search_is_not_found_unless_the_user_wants_it(store: Path) -> None:
    def found() -> set[str]:
        return {hit.url.rpartition("/")[2] for hit in search_pages(store, "walrus").hits}

    assert build_index(store, note=lambda _: None).documents == 2
    assert found() == {"own"}
    build_index(store, obey_usage=False, note=lambda _: None)
    assert found() == {"own", "1"}


def test_explain_says_what_may_be_done_with_a_page_and_who_says_so(
    store: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with reading(store) as reader:
        [(url,)] = reader.connection.execute("SELECT url FROM page WHERE url LIKE '%/own'")
    assert main(["explain", url, "--store", str(store), "--offline"]) == 0
    said = capsys.readouterr().out
    assert "usage" in said
    assert "input of AI systems disallowed, training of AI models disallowed" in said
    assert "header field: content-usage: train-ai=n" in said
    assert "robots.txt: content-signal: ai-input=no" in said
    assert main(["explain", url, "--store", str(store), "--offline", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["usage"]["allowed"] == {"ai-input": False, "train-ai": False}
