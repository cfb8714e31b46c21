"""Pages whose canonical page cannot be shown by a search engine."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from hinterland.library.audit.faults import Faults
from hinterland.library.audit.kinds import Group, Severity
from hinterland.library.audit.rule import Rule
from hinterland.library.audit.rules.reasons import absent, reason, unreachable

if TYPE_CHECKING:
    from hinterland.library.audit.audited_store import AuditedStore


class CanonicalBroken(Rule):
    """Finds pages whose canonical page is missing, redirects, or is closed to search engines."""

    name = "canonical-broken"
    title = "Pages whose canonical page is missing, moved or not to be indexed"
    group = Group.INDEXING
    severity = Severity.ERROR
    why = "Search engines are sent to a page that they cannot show, and may show neither page."
    mend = "Let rel=canonical name the final address of a page that may be indexed."

    def faults(self, store: AuditedStore) -> Faults:
        """Return the pages whose canonical page cannot be shown, each with the reason."""
        pages, canonicals = store.pages, store.pages.canonicals
        dead, blocked = absent(store) | unreachable(store), pages.has_outcome("robots")
        is_bad = dead | blocked | pages.is_state("redirected") | (pages.is_noindex & pages.has_outcome("fetched"))
        named = store.is_document & (canonicals >= 0) & (canonicals != np.arange(pages.count))
        found = np.flatnonzero(named & is_bad[np.maximum(canonicals, 0)]).astype(np.int32)
        urls = store.urls_of(canonicals[found])

        def note(page: int) -> str:
            canonical = int(canonicals[page])
            if dead[canonical]:
                return f"{urls[canonical]}: {reason(store, canonical)}"
            if blocked[canonical]:
                return f"{urls[canonical]}: forbidden by robots.txt"
            return f"{urls[canonical]}: " + ("redirects" if pages.targets[canonical] >= 0 else "noindex")

        return Faults.of(found, [note(page) for page in found.tolist()])
