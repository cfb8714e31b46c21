"""Pages that no sitemap lists."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from hinterland.library.audit.faults import Faults
from hinterland.library.audit.kinds import Group, Need, Severity
from hinterland.library.audit.rule import Rule
from hinterland.library.text.wording import counted

if TYPE_CHECKING:
    from hinterland.library.audit.audited_store import AuditedStore


class SitemapMissing(Rule):
    """Finds indexable pages that no sitemap lists, on hosts that have a sitemap."""

    name = "sitemap-missing"
    title = "Pages that may be indexed and are in no sitemap"
    group = Group.INDEXING
    severity = Severity.NOTICE
    why = "Search engines find them later, and learn of changes later."
    mend = "Add them to the sitemap."
    needs = (Need.SITEMAPS,)
    needs_whole_crawl = True

    def faults(self, store: AuditedStore) -> Faults:
        """Return the indexable pages that no sitemap lists."""
        listed = np.zeros(store.pages.count, np.bool_)
        listed[list(store.listed)] = True
        with_sitemap = np.unique(store.pages.hosts[listed])
        return Faults.of(np.flatnonzero(store.is_indexable & ~listed & np.isin(store.pages.hosts, with_sitemap)))

    def caveat(self, store: AuditedStore) -> str:
        """Return a sentence that says how many unread sitemaps might list these pages."""
        unread = store.unread_sitemaps
        return f"{counted(unread, 'sitemap was', 'sitemaps were')} not read" if unread else ""
