"""Pages in a sitemap that robots.txt forbids."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from hinterland.library.audit.faults import Faults
from hinterland.library.audit.kinds import Group, Need, Severity
from hinterland.library.audit.rule import Rule

if TYPE_CHECKING:
    from hinterland.library.audit.audited_store import AuditedStore


class SitemapBlocked(Rule):
    """Finds pages that a sitemap lists although robots.txt forbids them."""

    name = "sitemap-blocked"
    title = "Pages in a sitemap that robots.txt forbids"
    group = Group.INDEXING
    severity = Severity.ERROR
    why = "Search engines are asked to read pages that they must not read."
    mend = "Remove the entries, or allow the pages."
    needs = (Need.SITEMAPS,)

    def faults(self, store: AuditedStore) -> Faults:
        """Return the forbidden pages, each with the sitemap that lists it."""
        listed = np.array(sorted(store.listed), np.int32)
        found = listed[store.pages.has_outcome("robots")[listed]]
        return Faults.of(found, [store.listed[page] for page in found.tolist()])
