"""Linked pages that robots.txt forbids."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from hinterland.library.audit.faults import Faults
from hinterland.library.audit.kinds import Group, Loss, Severity
from hinterland.library.audit.rule import Rule

if TYPE_CHECKING:
    from hinterland.library.audit.audited_store import AuditedStore


class BlockedLinked(Rule):
    """Finds pages that robots.txt forbids to crawlers, although other pages link to them."""

    name = "blocked-linked"
    title = "Linked pages that robots.txt forbids"
    group = Group.INDEXING
    severity = Severity.NOTICE
    why = "Crawlers cannot read them, and rank that flows there is not passed on."
    mend = "Nothing, if this is intended; otherwise allow them in robots.txt."
    loss = Loss.FLOW

    def faults(self, store: AuditedStore) -> Faults:
        """Return the pages that robots.txt forbids, each with the pages that link to it."""
        chosen = store.pages.is_local & store.pages.has_outcome("robots") & store.is_linked
        found = np.flatnonzero(chosen).astype(np.int32)
        return Faults.of(found, (), store.linking(found))
