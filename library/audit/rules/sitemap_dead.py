"""Pages in a sitemap that do not exist."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from hinterland.library.audit.faults import Faults
from hinterland.library.audit.kinds import Group, Need, Severity
from hinterland.library.audit.rule import Rule
from hinterland.library.audit.rules.reasons import absent, reason, unreachable

if TYPE_CHECKING:
    from hinterland.library.audit.audited_store import AuditedStore


class SitemapDead(Rule):
    """Finds pages that a sitemap lists although they do not exist or give no answer."""

    name = "sitemap-dead"
    title = "Pages in a sitemap that do not exist"
    group = Group.INDEXING
    severity = Severity.ERROR
    why = "Search engines trust a sitemap with dead entries less."
    mend = "Remove the entries."
    needs = (Need.SITEMAPS,)

    def faults(self, store: AuditedStore) -> Faults:
        """Return the pages that do not exist or give no answer, each with the sitemap that lists it."""
        listed = np.array(sorted(store.listed), np.int32)
        found = listed[(absent(store) | unreachable(store))[listed]]
        return Faults.of(found, [f"{reason(store, page)}, listed in {store.listed[page]}" for page in found.tolist()])
