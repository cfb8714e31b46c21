"""Pages that name another page as canonical."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from hinterland.library.audit.faults import Faults
from hinterland.library.audit.kinds import Group, Severity
from hinterland.library.audit.rule import Rule

if TYPE_CHECKING:
    from hinterland.library.audit.audited_store import AuditedStore


class CanonicalElsewhere(Rule):
    """Finds pages that ask search engines to show another page instead of them."""

    name = "canonical-elsewhere"
    title = "Pages that name another page as canonical"
    group = Group.INDEXING
    severity = Severity.NOTICE
    why = "Search engines show the other page instead, which may or may not be intended."
    mend = "Nothing, if this is intended; otherwise let rel=canonical name the page itself."

    def faults(self, store: AuditedStore) -> Faults:
        """Return the pages that name another page as canonical, each with that page."""
        canonicals = store.pages.canonicals
        is_other = store.is_document & (canonicals >= 0) & (canonicals != np.arange(store.pages.count))
        found = np.flatnonzero(is_other).astype(np.int32)
        urls = store.urls_of(canonicals[found])
        return Faults.of(found, [urls[int(canonicals[page])] for page in found.tolist()])
