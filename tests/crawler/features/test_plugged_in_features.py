"""A feature that somebody else wrote takes part in a crawl like those of Hinterland itself."""

from __future__ import annotations

import re
from pathlib import Path

from hinterland.crawler.assembly.crawl_features import plugged_in
from tests.support.crawling import crawl, rows
from tests.support.web import LoopbackWeb

DOCUMENT = Path(__file__).parents[3] / "docs/plug-ins.md"


def example() -> str:
    """The feature of docs/plug-ins.md."""
    blocks: list[str] = re.findall(r"```python\n(.*?)```", DOCUMENT.read_text("utf-8"), re.DOTALL)
    [found] = [block for block in blocks if "FEATURES" in block]
    return found


async def test_the_example_of_the_documents_counts_words_of_titles(tmp_path: Path) -> None:
    plugin = tmp_path / "title_words.py"
    plugin.write_text(example())
    async with LoopbackWeb() as web:
        seed = web.page("a.test", "/", links=["/b"], title="one two three")
        web.page("a.test", "/b", title="four")
        await crawl(web.addresses, [seed], tmp_path / "s.db", plugins=[str(plugin)])
    assert rows(tmp_path / "s.db", "SELECT words FROM x_title_words ORDER BY words") == [(1,), (3,)]


def test_a_file_without_features_adds_none(tmp_path: Path) -> None:
    plugin = tmp_path / "hooks_only.py"
    plugin.write_text("HOOKS = {}\n")
    assert plugged_in([str(plugin)]) == []
