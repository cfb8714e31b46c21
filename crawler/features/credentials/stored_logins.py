"""Says which logins the stored version of a page needed."""

from __future__ import annotations

from collections.abc import Sequence

from hinterland.crawler.fetching.robots.rules import RobotsRules
from hinterland.crawler.loop.stored_feature import Remark, StoredFeature
from hinterland.storage.public_copy import opened_by
from hinterland.storage.reading.reader import StoreReader


class StoredLogins(StoredFeature):
    """The logins that opened pages of a store."""

    def __init__(self, store: StoreReader | None, agent: str) -> None:
        """Read a store, if there is one."""
        self._store = store

    def remarks(self, url: str, page: int | None, rules: RobotsRules | None) -> Sequence[Remark]:
        """Return the kinds of logins that were sent with the visits to a page."""
        kinds = "" if self._store is None else opened_by(self._store.connection, url)
        lines = [f"sent with the visits ({kinds}), so --public leaves the page out"] if kinds else []
        return [Remark("opened_by", "login", lines, kinds or None)]
