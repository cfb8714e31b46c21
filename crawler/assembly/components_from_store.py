"""Restores a crawl from its store, and makes the components with which it continues."""

from __future__ import annotations

import logging
from collections.abc import Callable

from hinterland.crawler.assembly.request import CrawlRequest
from hinterland.crawler.assembly.restoring import CoreState, RestoreOptions, restore
from hinterland.crawler.frontier.network_watch import NetworkWatch
from hinterland.crawler.frontier.pages.page_urls import PageUrls
from hinterland.crawler.loop.decisions.components import CrawlComponents
from hinterland.crawler.loop.decisions.features import Features
from hinterland.crawler.loop.decisions.progress_step import ProgressStep
from hinterland.crawler.loop.decisions.restored import RestoredState
from hinterland.crawler.urls.canonical import Canonicaliser
from hinterland.storage.link_store import LinkStore

_LOG = logging.getLogger(__name__)


async def restored_from(
    request: CrawlRequest, store: LinkStore, core: CoreState, now: float, told: Callable[[ProgressStep], None]
) -> RestoredState:
    """Restore the state that an earlier run left into `core`; an empty store leaves `core` unchanged."""
    if await store.ask(lambda stored: stored.pages.is_empty()):
        return RestoredState()
    restored = await restore(store, core, RestoreOptions.under(request.settings, request.retry_rules), now, told)
    if restored.seconds_ahead:
        _LOG.warning(
            "the store has times %.1f days in the future, so a clock is or was wrong; waiting times"
            " are limited to those in the settings",
            restored.seconds_ahead / 86_400,
        )
    core.known.has_stale_depths = True  # the last run may have ended before it relaxed them, or had another limit
    return restored


def components_of(
    request: CrawlRequest, store: LinkStore, core: CoreState, start: RestoredState, features: Features
) -> CrawlComponents:
    """Return all components of the crawl."""
    settings = request.settings
    return CrawlComponents(
        frontier=core.frontier,
        known=core.known,
        policy=core.policy,
        network=NetworkWatch(
            pause_seconds=settings.politeness.backoff_seconds,
            patience_seconds=settings.politeness.network_patience_seconds,
            heard=start.heard,
        ),
        robots=core.robots,
        urls=PageUrls(store.urls_of),
        canonicaliser=Canonicaliser.under(settings.urls),
        followers=[] if core.log is None else [core.log.append],
        retry_rules=request.retry_rules,
        features=features,
    )
