"""Pages that take long to arrive."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from hinterland.library.audit.faults import Faults
from hinterland.library.audit.kinds import Group, Severity
from hinterland.library.audit.rule import Rule

if TYPE_CHECKING:
    from hinterland.library.audit.audited_store import AuditedStore

_MOST_SECONDS: Final = 2.0


class SlowPage(Rule):
    """Finds pages that took more than two seconds from the request to the last byte."""

    name = "slow-page"
    title = "Pages that took more than two seconds"
    group = Group.SPEED
    severity = Severity.WARNING
    why = "Visitors leave, and crawlers come less often."
    mend = "Find out what the server does in that time."

    def faults(self, store: AuditedStore) -> Faults:
        """Return the slow pages, each with its time."""
        found = np.flatnonzero(store.is_document & (store.pages.seconds > _MOST_SECONDS))
        return Faults.of(found, [f"{store.pages.seconds[page]:.1f} s" for page in found.tolist()])
