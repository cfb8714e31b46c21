"""What all features say about the pages of a store. Only this file knows which of them have something to say."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from itertools import chain
from typing import Final

from hinterland.crawler.features.credentials.stored_logins import StoredLogins
from hinterland.crawler.features.usage.stored_usage import StoredUsage
from hinterland.crawler.fetching.robots.rules import RobotsRules
from hinterland.crawler.loop.stored_feature import Remark, StoredFeature
from hinterland.crawler.settings import Settings, from_json
from hinterland.storage.reading.reader import StoreReader
from hinterland.storage.values.uses import RefusedPages, Use, combined

STORED_FEATURES: Final[Sequence[Callable[[StoreReader | None, str], StoredFeature]]] = (StoredUsage, StoredLogins)
"""The features that say something about stored pages. It is apart from the table of features that crawl, whose modules
take a second to import.
"""


class StoredFeatures:
    """What all features together say about the pages of a store. Usable while the reader of the store is open."""

    def __init__(self, store: StoreReader | None, agent: str) -> None:
        """Take a store, or None if a page is looked at without a store, and the name of the crawler in robots.txt."""
        self._features = [make(store, agent) for make in STORED_FEATURES]
        self.tables = frozenset(chain.from_iterable(each.tables for each in self._features))
        """The tables of records that the remarks tell in words."""

    def remarks(self, url: str, page: int | None, rules: RobotsRules | None = None) -> list[Remark]:
        """Return the remarks about a canonical URL; see StoredFeature.remarks."""
        return [remark for each in self._features for remark in each.remarks(url, page, rules)]

    def refusing(self, uses: Collection[Use]) -> RefusedPages:
        """Return the fetched pages that may not be used for at least one of these uses."""
        refused = RefusedPages()
        for each in self._features:
            refused.include(each.refusing(uses))
        return refused

    def preferences(self, page: int) -> dict[Use, bool]:
        """Return which uses are allowed and disallowed for a page. Uses about which nothing is known are left out."""
        return combined(each.preferences(page) for each in self._features)

    def refusals(self, page: int, use: Use) -> list[str]:
        """Return, in words, why a page may not be put to this use; empty if it may. The texts may quote the page."""
        return [reason for each in self._features for reason in each.refusals(page, use)]

    def about_host(self, host: int) -> list[str]:
        """Return what the host with this number says about the use of its pages, as written."""
        return [line for each in self._features for line in each.about_host(host)]


def stored_features(store: StoreReader) -> StoredFeatures:
    """Return what features say about the pages of a store, as it applies to the crawler that filled it."""
    stored = store.runs.last_settings()
    return StoredFeatures(store, (Settings() if stored is None else from_json(stored)).identity.name)
