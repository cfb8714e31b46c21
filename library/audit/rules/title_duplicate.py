"""Pages with the same title as another page."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hinterland.library.audit.faults import Faults
from hinterland.library.audit.kinds import Group, Severity
from hinterland.library.audit.rule import Rule
from hinterland.library.audit.rules.shared_texts import shared_text_faults

if TYPE_CHECKING:
    from hinterland.library.audit.audited_store import AuditedStore


class TitleDuplicate(Rule):
    """Finds indexable pages that have the same title as another page of their host."""

    name = "title-duplicate"
    title = "Pages with the same title as another"
    group = Group.CONTENT
    severity = Severity.WARNING
    why = "Nobody can tell them apart in search results."
    mend = "Give each page a title of its own, or name one of them as canonical."

    def faults(self, store: AuditedStore) -> Faults:
        """Return the pages with a shared title, each with this title."""
        return shared_text_faults(store, store.documents.titles)
