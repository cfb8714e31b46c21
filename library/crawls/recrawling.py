"""A crawl that resumes from its store and revisits its pages."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from hinterland.crawler.features.recrawl.revisiting import Revisiting
from hinterland.crawler.settings import EffectiveSettings
from hinterland.library.crawls.page_budget import last_budget
from hinterland.library.crawls.plan import CrawlPlan
from hinterland.library.errors import StoreUnusable
from hinterland.library.rule_choice import chosen_extraction
from hinterland.storage.reading.opening import reading


def recrawl_plan(
    store: str,
    settings: EffectiveSettings,
    command: Sequence[str],
    revisiting: Revisiting,
    *,
    max_pages: int | None,
    warc: str | None = None,
    plugins: Sequence[str] = (),
) -> CrawlPlan:
    """Return the plan of a recrawl. `plugins` are files whose plug-ins are already known. Raises HinterlandError."""
    return CrawlPlan(
        settings,
        [],
        store,
        command,
        max_pages,
        resume=True,
        warc=warc,
        plugins=[str(Path(file).absolute()) for file in plugins],
        extraction=chosen_extraction(None, plugins, []),
        revisiting=revisiting,
    )


def budget_of_crawl(store: Path) -> int | None:
    """Return the page budget of the last run; None if it had no budget.

    Raises StoreUnusable if no page was fetched, and NoStore.
    """
    with reading(store) as reader:
        runs = reader.runs.newest()
        if not runs or not reader.pages.has_fetched():
            raise StoreUnusable(f"{store} has no page to revisit; `status` says why")
        return last_budget(runs)
