"""Of a thousand pages with all kinds of statements, an export has exactly those that do not refuse its use."""

from __future__ import annotations

import asyncio
import json
import random
from pathlib import Path
from typing import Final

import pytest

from hinterland.library.exporting import export
from tests.support.crawling import crawl
from tests.support.web import LoopbackWeb

pytestmark = pytest.mark.slow
PAGES: Final = 1_000
USES: Final = frozenset({"search", "ai-input", "train-ai"})
FIELDS: Final = {
    ("Content-Usage", "train-ai=n"): {"train-ai"},
    ("Content-Usage", "search=n, train-ai=y"): {"search"},
    ("Content-Usage", "train-ai=y, search=y"): set(),
    ("Content-Usage", "search=never"): set(),
    ("Content-Signal", "search=yes, ai-input=no, ai-train=no"): {"ai-input", "train-ai"},
    ("Content-Signal", "ai-train=yes"): set(),
    ("X-Robots-Tag", "noai"): {"train-ai"},
    ("TDM-Reservation", "1"): {"train-ai"},
}
METAS: Final = {
    "<meta name=content-usage content='search=n'>": {"search"},
    "<meta name=content-signal content='ai-input=no'>": {"ai-input"},
    "<meta name=robots content='noai, follow'>": {"train-ai"},
    "<meta name=description content='train-ai=n'>": set(),
    "<!-- <meta name=content-usage content='search=n'> -->": set(),
}
ROBOTS: Final = """
User-agent: OtherBot
Content-Usage: search=n
User-agent: *
Content-Usage: train-ai=y
Content-Usage: /closed/ train-ai=n
Content-Usage: /closed/open/ train-ai=y
Content-Signal: /quiet/ ai-input=no, search=no
"""
FOLDERS: Final = {"/": set(), "/closed/": {"train-ai"}, "/closed/open/": set(), "/quiet/": {"ai-input", "search"}}


@pytest.fixture(scope="module")
def crawled(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, set[str]]]:
    """A store, and the uses that each page refuses."""
    drawing, refused = random.Random(39), dict[str, set[str]]()
    store = tmp_path_factory.mktemp("refusing") / "site.db"

    async def make() -> None:
        async with LoopbackWeb() as web:
            paths = [f"{drawing.choice(list(FOLDERS))}{number}" for number in range(PAGES)]
            web.robots("a.test", ROBOTS)
            seed = web.page("a.test", "/seed", links=paths)
            for path in paths:
                fields = dict(drawing.sample(list(FIELDS), drawing.choice([0, 0, 1, 2])))
                metas = drawing.sample(list(METAS), drawing.choice([0, 0, 1, 2]))
                url = web.page("a.test", path, html=f"{''.join(metas)}<h1>Page</h1><p>Of {path}", headers=fields)
                stated = [FIELDS[each] for each in fields.items()] + [METAS[each] for each in metas]
                refused[url] = set().union(FOLDERS[path[: path.rindex("/") + 1]], *stated)
            await crawl(web.addresses, [seed], store)

    asyncio.run(make())
    return store, refused


@pytest.mark.parametrize("use", [*sorted(USES), "any"])
@pytest.mark.parametrize("kind", ["jsonl", "chunks"])
def test_every_refused_page_is_absent_and_counted(
    crawled: tuple[Path, dict[str, set[str]]], tmp_path: Path, use: str, kind: str
) -> None:
    store, refused = crawled
    target = tmp_path / "corpus.jsonl"
    found = export(store, kind, target, usage=use, note=lambda _: None)
    key = "page" if kind == "chunks" else "url"
    urls = {json.loads(line)[key] for line in target.read_text().splitlines()}
    uses = USES if use == "any" else {use}
    expected = {url for url, refuses in refused.items() if refuses & uses}
    assert 100 < len(expected) < PAGES - 100
    assert len(refused) == PAGES
    assert {url for url in refused if url not in urls} == expected
    manifest = json.loads(Path(f"{target}.manifest.json").read_text())
    assert (manifest["left_out"], manifest["pages"]) == (len(expected), PAGES + 1 - len(expected))
    assert sum(found.written.left_out.values()) >= len(expected)  # a page counts under each of its statements
