"""Pages that name several canonical pages."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hinterland.library.audit.faults import Faults
from hinterland.library.audit.kinds import Group, Need, Severity
from hinterland.library.audit.rule import Rule

if TYPE_CHECKING:
    from hinterland.library.audit.audited_store import AuditedStore


class SeveralCanonicals(Rule):
    """Finds pages with more than one rel=canonical in their markup."""

    name = "several-canonicals"
    title = "Pages with several canonical elements"
    group = Group.INDEXING
    severity = Severity.WARNING
    why = "Search engines may ignore all of them."
    mend = "Keep one."
    needs = (Need.FACTS,)

    def faults(self, store: AuditedStore) -> Faults:
        """Return the pages with several canonical pages, each with their number."""
        found = [(page, fields) for page, fields in store.page_facts.items() if fields.get("canonicals", 0) > 1]
        return Faults.of([page for page, _ in found], [f"{fields['canonicals']} elements" for _, fields in found])
