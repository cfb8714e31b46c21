"""Base classes of policies that learn from what pages and links say about a topic."""

from __future__ import annotations

import numpy as np

from hinterland.crawler.features.topics.links.link_relevance import SeenLinks
from hinterland.crawler.features.topics.links.link_rows import LinkRows
from hinterland.crawler.features.topics.links.seen_relevance import SeenRelevance
from hinterland.crawler.features.topics.policies.reading_policy import Reading
from hinterland.crawler.features.topics.policies.remembered_relevance import RememberedRelevance
from hinterland.crawler.frontier.policies.policy import FloatArray, IntArray, OffsetArray


class ReadingBasedPolicy:
    """A policy that learns only from readings, and ignores links that it gets in other ways."""

    uses_links = False
    needs_refresh = True

    def fetched(self, page: int, outlinks: IntArray) -> None:
        """Ignore the links of a page."""

    def fetched_all(self, pages: IntArray, ends: OffsetArray, targets: IntArray) -> None:
        """Ignore the links of many pages."""


class LinkLearner(ReadingBasedPolicy):
    """Keeps the links to waiting pages, what visits have shown, and the urgencies that it has returned."""

    def __init__(self) -> None:
        """Start before the first visit."""
        self._rows = LinkRows()
        self._seen = SeenRelevance()
        self._remembered = RememberedRelevance()

    def discovered(self, pages: IntArray, depths: IntArray) -> FloatArray:
        """Return the urgencies of new pages, shape (k,)."""
        return self._remembered.of(pages, depths)

    def _keep(self, reading: Reading) -> SeenLinks:
        """Keep and return those links of a visited page that were read and lead to waiting pages."""
        is_kept = ~self._seen.is_visited(reading.targets) & (reading.features.sizes > 0)
        sources = np.full(len(reading.targets), reading.page, np.int32)
        links = SeenLinks(sources, reading.targets, reading.target_hosts, reading.features).those(is_kept)
        self._rows.append(reading.page, links.targets, links.hosts, links.features)
        return links
