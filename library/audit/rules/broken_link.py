"""Links to pages of the site that do not exist."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hinterland.library.audit.faults import Faults
from hinterland.library.audit.kinds import Group, Loss, Severity
from hinterland.library.audit.rule import Rule
from hinterland.library.audit.rules.reasons import absent, linked_faults

if TYPE_CHECKING:
    from hinterland.library.audit.audited_store import AuditedStore


class BrokenLink(Rule):
    """Finds missing pages of the site to which pages link."""

    name = "broken-link"
    title = "Pages that are linked and do not exist"
    group = Group.LINKS
    severity = Severity.ERROR
    why = "Visitors end at an error, and the rank that flows there is lost."
    mend = "Correct or remove the links on the pages named, or redirect the address to where its content is now."
    loss = Loss.FLOW

    def faults(self, store: AuditedStore) -> Faults:
        """Return the missing pages of the site, each with the pages that link to it."""
        return linked_faults(store, absent(store) & store.pages.is_local)
