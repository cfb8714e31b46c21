"""Pages with a description that is too long to be shown."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from hinterland.library.audit.faults import Faults
from hinterland.library.audit.kinds import Group, Severity
from hinterland.library.audit.rule import Rule

if TYPE_CHECKING:
    from hinterland.library.audit.audited_store import AuditedStore

_MOST: Final = 160


class DescriptionLong(Rule):
    """Finds pages whose description is so long that search results cut it off."""

    name = "description-long"
    title = "Pages with a meta description of more than 160 characters"
    group = Group.CONTENT
    severity = Severity.NOTICE
    why = "Search results cut descriptions at about that length."
    mend = "Say the most important thing first."

    def faults(self, store: AuditedStore) -> Faults:
        """Return the pages with a long meta description, each with its length."""
        documents = store.documents
        places = [place for place, text in enumerate(documents.descriptions) if len(text) > _MOST]
        return Faults.of(
            documents.pages[places], [f"{len(documents.descriptions[place])} characters" for place in places]
        )
