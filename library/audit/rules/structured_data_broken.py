"""Pages whose structured data cannot be parsed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hinterland.library.audit.faults import Faults
from hinterland.library.audit.kinds import Group, Need, Severity
from hinterland.library.audit.rule import Rule

if TYPE_CHECKING:
    from hinterland.library.audit.audited_store import AuditedStore


class StructuredDataBroken(Rule):
    """Finds pages with a block of JSON-LD that is not valid JSON."""

    name = "structured-data-broken"
    title = "Pages with structured data that cannot be parsed"
    group = Group.INDEXING
    severity = Severity.ERROR
    why = "Search engines ignore the whole block."
    mend = "Correct the JSON: the note says where it breaks."
    needs = (Need.FACTS,)

    def faults(self, store: AuditedStore) -> Faults:
        """Return the pages with invalid JSON-LD, each with the error."""
        found = [(page, fields) for page, fields in store.page_facts.items() if fields.get("bad_data")]
        return Faults.of([page for page, _ in found], [fields["bad_data"] for _, fields in found])
