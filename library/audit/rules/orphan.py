"""Pages that no page links to."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from hinterland.library.audit.faults import Faults
from hinterland.library.audit.kinds import Group, Severity
from hinterland.library.audit.rule import Rule

if TYPE_CHECKING:
    from hinterland.library.audit.audited_store import AuditedStore


class Orphan(Rule):
    """Finds pages that the crawl knows from a sitemap or another source, but from no link of the site."""

    name = "orphan"
    title = "Pages that no other page of the site links to"
    group = Group.STRUCTURE
    severity = Severity.WARNING
    why = "Visitors do not find them, and no rank flows to them."
    mend = "Link to them from where visitors would look for them, or remove them."
    needs_whole_crawl = True

    def faults(self, store: AuditedStore) -> Faults:
        """Return the pages without a link from the site, except start pages of the crawl."""
        linked = store.is_linked.copy()
        chains = store.chains
        arrived = chains.ends[np.flatnonzero(store.is_linked & (chains.lengths > 0))]
        linked[arrived[arrived >= 0]] = True
        return Faults.of(np.flatnonzero(store.is_document & ~linked & ~store.is_seed))

    def caveat(self, store: AuditedStore) -> str:
        """Return a sentence that says which unread pages may contain the missing links."""
        unread = store.coverage.unread
        return f"pages that were not read may link to them: {unread}" if unread else ""
