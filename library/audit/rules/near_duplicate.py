"""Pages with nearly the same text under several URLs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hinterland.library.audit.faults import Faults
from hinterland.library.audit.kinds import Group, Need, Severity
from hinterland.library.audit.rule import Rule

if TYPE_CHECKING:
    from hinterland.library.audit.audited_store import AuditedStore


class NearDuplicate(Rule):
    """Finds indexable pages of the same host whose texts have nearly all sequences of four words in common."""

    name = "near-duplicate"
    title = "Pages with nearly the same text as another"
    group = Group.DUPLICATES
    severity = Severity.NOTICE
    why = "Search engines show only one of them, perhaps not the one that you would choose."
    mend = "Merge them, or let them name one as canonical."
    needs = (Need.TEXTS,)

    def faults(self, store: AuditedStore) -> Faults:
        """Return the pages of all groups of near-duplicates, each with the size and the first page of its group."""
        groups = store.near_duplicates
        found = [(page, pages) for pages in groups for page in pages]
        urls = store.urls_of([pages[0] for pages in groups])
        return Faults.of(
            [page for page, _ in found], [f"{len(pages)} pages like {urls[pages[0]]}" for _, pages in found]
        )
