"""Pages without a meta description."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hinterland.library.audit.faults import Faults
from hinterland.library.audit.kinds import Group, Severity
from hinterland.library.audit.rule import Rule

if TYPE_CHECKING:
    from hinterland.library.audit.audited_store import AuditedStore


class DescriptionMissing(Rule):
    """Finds pages without a meta description."""

    name = "description-missing"
    title = "Pages without a meta description"
    group = Group.CONTENT
    severity = Severity.NOTICE
    why = "Search engines then choose an excerpt themselves."
    mend = "Describe the page in a sentence or two."

    def faults(self, store: AuditedStore) -> Faults:
        """Return the pages without a meta description."""
        documents = store.documents
        places = [place for place, text in enumerate(documents.descriptions) if not text.strip()]
        return Faults.of(documents.pages[places])
