"""Pages in a sitemap that are not to be indexed."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from hinterland.library.audit.faults import Faults
from hinterland.library.audit.kinds import Group, Need, Severity
from hinterland.library.audit.rule import Rule

if TYPE_CHECKING:
    from hinterland.library.audit.audited_store import AuditedStore


class SitemapClosed(Rule):
    """Finds pages that a sitemap lists although they are marked noindex or name another page as canonical."""

    name = "sitemap-closed"
    title = "Pages in a sitemap that are not to be indexed"
    group = Group.INDEXING
    severity = Severity.ERROR
    why = "The sitemap says that the page is to be shown, and the page that it is not."
    mend = "Remove the entries, or let the pages be indexed."
    needs = (Need.SITEMAPS,)

    def faults(self, store: AuditedStore) -> Faults:
        """Return the pages that are not to be indexed, each with the sitemap that lists it."""
        listed = np.array(sorted(store.listed), np.int32)
        found = listed[(store.is_document & ~store.is_indexable)[listed]]
        return Faults.of(found, [store.listed[page] for page in found.tolist()])
