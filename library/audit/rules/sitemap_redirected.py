"""URLs in a sitemap that redirect."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from hinterland.library.audit.faults import Faults
from hinterland.library.audit.kinds import Group, Need, Severity
from hinterland.library.audit.rule import Rule

if TYPE_CHECKING:
    from hinterland.library.audit.audited_store import AuditedStore


class SitemapRedirected(Rule):
    """Finds URLs that a sitemap lists although they redirect."""

    name = "sitemap-redirected"
    title = "Addresses in a sitemap that redirect"
    group = Group.INDEXING
    severity = Severity.WARNING
    why = "Search engines want the final addresses there."
    mend = "List the final addresses."
    needs = (Need.SITEMAPS,)

    def faults(self, store: AuditedStore) -> Faults:
        """Return the URLs that redirect, each with the sitemap that lists it."""
        listed = np.array(sorted(store.listed), np.int32)
        found = listed[store.pages.is_state("redirected")[listed]]
        return Faults.of(found, [store.listed[page] for page in found.tolist()])
