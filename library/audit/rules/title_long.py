"""Pages with a title that is too long to be shown."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from hinterland.library.audit.faults import Faults
from hinterland.library.audit.kinds import Group, Severity
from hinterland.library.audit.rule import Rule

if TYPE_CHECKING:
    from hinterland.library.audit.audited_store import AuditedStore

_MOST: Final = 65


class TitleLong(Rule):
    """Finds pages whose title is so long that search results cut it off."""

    name = "title-long"
    title = "Pages with a title of more than 65 characters"
    group = Group.CONTENT
    severity = Severity.NOTICE
    why = "Search results cut titles at about that length."
    mend = "Put what distinguishes the page into the first words."

    def faults(self, store: AuditedStore) -> Faults:
        """Return the pages with a long title, each with its length."""
        documents = store.documents
        places = [place for place, title in enumerate(documents.titles) if len(title) > _MOST]
        return Faults.of(documents.pages[places], [f"{len(documents.titles[place])} characters" for place in places])
