"""Pages from which no link leads on."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from hinterland.library.audit.faults import Faults
from hinterland.library.audit.kinds import Group, Severity
from hinterland.library.audit.rule import Rule

if TYPE_CHECKING:
    from hinterland.library.audit.audited_store import AuditedStore


class DeadEnd(Rule):
    """Finds pages without a link to another page of the site."""

    name = "dead-end"
    title = "Pages without a link to another page of the site"
    group = Group.STRUCTURE
    severity = Severity.NOTICE
    why = "Visitors can only go back, and the rank that flows there is not passed on."
    mend = "Link back to the pages above."

    def faults(self, store: AuditedStore) -> Faults:
        """Return the pages without a link to another page of the site."""
        links = store.followed
        onward = links.where((links.targets != links.sources) & store.pages.is_local[links.targets])
        leads = np.zeros(store.pages.count, np.bool_)
        leads[onward.sources] = True
        return Faults.of(np.flatnonzero(store.is_document & ~leads))
