"""Pages that are many clicks away from the start pages."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from hinterland.library.audit.clicks import clicks_from
from hinterland.library.audit.faults import Faults
from hinterland.library.audit.kinds import Group, Severity
from hinterland.library.audit.rule import Rule

if TYPE_CHECKING:
    from hinterland.library.audit.audited_store import AuditedStore

_MOST: Final = 5


class DeepPage(Rule):
    """Finds pages that are more than five clicks away from every start page."""

    name = "deep-page"
    title = "Pages more than five clicks from a start page"
    group = Group.STRUCTURE
    severity = Severity.NOTICE
    why = "Few visitors get there, and crawlers come late and seldom."
    mend = "Link to the important ones from pages nearer to the start."
    needs_whole_crawl = True

    def faults(self, store: AuditedStore) -> Faults:
        """Return the pages that are far from every start page, each with the number of clicks."""
        clicks = clicks_from(np.flatnonzero(store.is_seed).astype(np.int32), store.followed, store.chains.ends)
        found = np.flatnonzero(store.is_document & (clicks > _MOST))
        return Faults.of(found, [f"{clicks[page]} clicks" for page in found.tolist()])
