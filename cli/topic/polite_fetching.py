"""Fetches pages as a crawl does: it obeys robots.txt, rests between requests, and parses bodies in other processes."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import uvloop

from hinterland.crawler.features.topics.files.stored_pages import StoredPage, pages_at
from hinterland.crawler.fetching.client import event_loop
from hinterland.crawler.loop.decisions.progress_step import ProgressStep
from hinterland.crawler.settings import EffectiveSettings
from hinterland.library.crawls.crawl_run import crawl
from hinterland.library.crawls.ending import Ending
from hinterland.library.crawls.plan import CrawlPlan
from hinterland.library.crawls.progress import CrawlProgress
from hinterland.library.crawls.seeds import GivenSeed
from hinterland.storage.reading.opening import reading


class _Silence:
    """A Display that shows nothing, for a crawl of a few pages."""

    interval_seconds = 60.0

    def note(self, text: str) -> None: ...

    def warn(self, text: str) -> None: ...

    def progress(self, progress: CrawlProgress) -> None: ...

    def phase(self, phase: ProgressStep) -> None: ...

    def close(self) -> None: ...

    def ended(self, ending: Ending) -> None: ...


def fetched_pages(urls: Sequence[str], settings: EffectiveSettings) -> dict[str, StoredPage]:
    """Return pages by the requested URL. Pages that could not be fetched, or have no text, are missing.

    The crawl has a store of its own, which is removed. Raises HinterlandError.
    """
    scope = replace(settings.settings.scope, max_depth=0)
    plain = EffectiveSettings(replace(settings.settings, scope=scope), {})
    with tempfile.TemporaryDirectory(prefix="hinterland-topic-") as folder:
        store = str(Path(folder, "pages.db"))
        seeds = [GivenSeed(url, "--like or --unlike") for url in urls]
        uvloop.run(crawl(CrawlPlan(plain, seeds, store, ["topic"]), _Silence()), loop_factory=event_loop.CrawlLoop)
        with reading(Path(store)) as reader:
            return pages_at(reader, urls)
