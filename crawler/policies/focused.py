"""`focused`: pages first that are probably about the topic (after Chakrabarti, van den Berg & Dom, WWW8 1999)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import numpy as np

from analysis.crawled_graph import CrawledGraph
from analysis.link_promises import UNTAUGHT, MetLinks, link_numbers, promises_of_pages, taught
from analysis.link_rows import LinkRows
from analysis.promise_model import probabilities
from analysis.seen_relevance import SeenRelevance
from crawler.policies.policy import FloatArray, IntArray, OffsetArray
from crawler.policies.reading_policy import Reading
from crawler.policies.remembered_promises import RememberedPromises
from crawler.policies.return_flow import with_sample

SAMPLED: Final = 0.03
"""The share of visits drawn at random among all that waits: what the learner has never thought of stays within reach,
and what is reported of its accuracy is not about its own favourites alone."""
_UNKNOWN_PROMISE: Final = 0.5
"""Of what none of the links that are kept leads to."""


class Focused:
    """A link's promise is learnt from where earlier links led (`analysis.link_promises`). A page is as urgent as the
    best of its first links promises.

    At a refresh, what is known of a host is a draw from its posterior: hosts of which little is known have their
    chance. 26 bytes a known page and about 90 a link to it, of which four are kept.
    """

    uses_links = False
    needs_refresh = True

    def __init__(self, seed: int) -> None:
        self._seed = seed & (2**32 - 1)
        self._rows = LinkRows()
        self._seen = SeenRelevance()
        self._model = UNTAUGHT
        self._promises = RememberedPromises()

    def read(self, reading: Reading) -> None:
        seen, rows = self._seen, self._rows
        seen.add(reading.page, reading.host, reading.relevance, rows.sources_of)
        waits = ~seen.is_visited(reading.targets)
        targets, hosts, features = reading.targets[waits], reading.target_hosts[waits], reading.features.those(waits)
        rows.append(reading.page, targets, hosts, features)
        numbers = link_numbers(seen, np.full(len(targets), reading.page), hosts, features, seen.host_shares(hosts))
        promises = probabilities(self._model.log_odds(features, numbers))
        self._promises.met(targets, promises)

    def fetched(self, page: int, outlinks: IntArray) -> None:
        pass

    def fetched_all(self, pages: IntArray, ends: OffsetArray, targets: IntArray) -> None:
        pass

    def discovered(self, pages: IntArray, depths: IntArray) -> FloatArray:
        return self._promises.of(pages, depths)

    def begin_refresh(self, crawled: CrawledGraph, waiting: IntArray, batch: int) -> Callable[[], FloatArray]:
        seen, links = self._seen.copy(), MetLinks.of(self._rows)

        def urgencies() -> FloatArray:
            model = taught(seen, links)
            shares = seen.drawn_host_shares(np.random.default_rng([self._seed, seen.visits]))
            promises = promises_of_pages(model, seen, links, shares, waiting, unknown=_UNKNOWN_PROMISE)
            self._model = model
            return self._promises.refreshed(waiting, with_sample(promises, waiting, SAMPLED))

        return urgencies
