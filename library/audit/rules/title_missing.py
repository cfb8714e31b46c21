"""Pages without a title."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hinterland.library.audit.faults import Faults
from hinterland.library.audit.kinds import Group, Severity
from hinterland.library.audit.rule import Rule

if TYPE_CHECKING:
    from hinterland.library.audit.audited_store import AuditedStore


class TitleMissing(Rule):
    """Finds pages without a title, or with an empty one."""

    name = "title-missing"
    title = "Pages without a title"
    group = Group.CONTENT
    severity = Severity.ERROR
    why = "The title is what search results, tabs and bookmarks show."
    mend = "Give each page a title of its own."

    def faults(self, store: AuditedStore) -> Faults:
        """Return the pages without a title."""
        documents = store.documents
        places = [place for place, title in enumerate(documents.titles) if not title.strip()]
        return Faults.of(documents.pages[places])
