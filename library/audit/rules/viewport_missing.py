"""Pages that are not made for small screens."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hinterland.library.audit.faults import Faults
from hinterland.library.audit.kinds import Group, Need, Severity
from hinterland.library.audit.rule import Rule

if TYPE_CHECKING:
    from hinterland.library.audit.audited_store import AuditedStore


class ViewportMissing(Rule):
    """Finds pages without a viewport element."""

    name = "viewport-missing"
    title = "Pages without a viewport for small screens"
    group = Group.SPEED
    severity = Severity.NOTICE
    why = "Telephones show them as on a wide screen, in tiny letters."
    mend = 'Add <meta name=viewport content="width=device-width, initial-scale=1">.'
    needs = (Need.FACTS,)

    def faults(self, store: AuditedStore) -> Faults:
        """Return the pages without a viewport element."""
        return Faults.of([page for page, fields in store.page_facts.items() if not fields.get("has_viewport")])
