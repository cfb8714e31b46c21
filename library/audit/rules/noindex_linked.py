"""Linked pages that are closed to search engines by noindex."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from hinterland.library.audit.faults import Faults
from hinterland.library.audit.kinds import Group, Severity
from hinterland.library.audit.rule import Rule

if TYPE_CHECKING:
    from hinterland.library.audit.audited_store import AuditedStore


class NoindexLinked(Rule):
    """Finds pages that are marked noindex although links lead visitors to them."""

    name = "noindex-linked"
    title = "Linked pages that say noindex"
    group = Group.INDEXING
    severity = Severity.NOTICE
    why = "Search engines do not show them, which may or may not be intended."
    mend = "Nothing, if this is intended; otherwise remove noindex from meta robots or X-Robots-Tag."

    def faults(self, store: AuditedStore) -> Faults:
        """Return the noindex pages, each with the pages that link to it."""
        chosen = store.is_document & store.pages.is_noindex & store.is_linked
        found = np.flatnonzero(chosen).astype(np.int32)
        return Faults.of(found, (), store.linking(found))
