"""Restores what the policy of a focused crawl has learnt in earlier runs: replays all visits and the last refresh."""

from __future__ import annotations

import asyncio

import numpy as np

from hinterland.analysis.crawled_graph import CrawledGraph
from hinterland.crawler.features.topics.focus import MOST_DRAWS, Focus
from hinterland.crawler.frontier.policies.policy import FrontierPolicy
from hinterland.storage.link_store import LinkStore
from hinterland.storage.values.records import IntArray
from hinterland.storage.values.topics import LearntRecord


async def restore_focus(
    store: LinkStore, focus: Focus, policy: FrontierPolicy, waiting: IntArray, crawled: CrawledGraph | None
) -> int:
    """Restore the policy's state from the store; return how many pages were fetched after its last refresh.

    `waiting` holds the pages that wait now; `crawled` is needed for the refresh, None if there is none. Visits after
    the last refresh do not change the model here, because they had not changed it when the crawl stopped. So the crawl
    continues as if it had not been interrupted.
    """
    learnt = await store.ask(lambda stored: stored.topics.learnt()) if focus.has_learner else None
    focus.restore_draws(await store.ask(lambda stored: stored.topics.draws(MOST_DRAWS)))
    fetched = 0
    async for record, is_page, visit in store.state.relevances():
        if learnt is not None and crawled is not None and visit > learnt.visit:
            await _refresh(store, policy, learnt, waiting, crawled)
            learnt, fetched = None, 0
        focus.restore(record, is_page=is_page)
        fetched += is_page
    if learnt is not None and crawled is not None:
        await _refresh(store, policy, learnt, waiting, crawled)
        fetched = 0
    return fetched


async def _refresh(
    store: LinkStore, policy: FrontierPolicy, learnt: LearntRecord, waiting: IntArray, crawled: CrawledGraph
) -> None:
    """Repeat the policy's last refresh, with the pages that waited then.

    So pages that were visited since are included, and pages that were found since are not.
    """
    visited_since = await store.ask(lambda stored: stored.topics.judged_after(learnt.visit))
    waited = np.union1d(waiting, visited_since).astype(np.int32)
    waited = waited[waited < learnt.pages]
    if len(waited):
        await asyncio.to_thread(policy.begin_refresh(crawled, waited, len(waited)))
