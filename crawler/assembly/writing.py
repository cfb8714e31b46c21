"""Makes the writer of a crawl's records, which also logs some of them."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Sequence

from hinterland.crawler.frontier.pages.known_pages import KnownPages
from hinterland.crawler.loop.decisions.features import Features
from hinterland.crawler.loop.decisions.first_failures import FirstFailures
from hinterland.crawler.settings import Settings
from hinterland.storage.link_store import LinkStore
from hinterland.storage.record_writer import MAX_BATCH, RecordWriter
from hinterland.storage.values.records import Record

_LOG = logging.getLogger(__name__)


def writer_of(settings: Settings, store: LinkStore, known: KnownPages, features: Features) -> RecordWriter:
    """Return the writer of a crawl's records."""
    visits_that_may_wait = max(1, settings.fetching.max_in_flight * 2 // 3)  # for a commit, while the others continue
    return RecordWriter(
        store.write,
        after_write=_telling(store, known, features),
        commit_seconds=settings.storage.commit_seconds,
        max_batch=min(MAX_BATCH, visits_that_may_wait),
    )


def _telling(store: LinkStore, known: KnownPages, features: Features) -> Callable[[Sequence[Record]], Awaitable[None]]:
    """Return a function that logs, after writing, the first failure of each kind and the warnings of features."""
    failures = FirstFailures()

    async def tell(records: Sequence[Record]) -> None:
        for first in failures.among(records):
            url = known.host_urls[first.host]
            if first.page is not None:
                url = (await store.urls_of([first.page]))[first.page]
            _LOG.warning("%s: %s", url, first.reason)
        for page, reason in features.written(records):
            _LOG.warning("%s: %s", (await store.urls_of([page]))[page], reason)

    return tell
