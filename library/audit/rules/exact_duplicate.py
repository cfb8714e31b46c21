"""Pages with the same content under several URLs."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Final

from hinterland.library.audit.faults import Faults
from hinterland.library.audit.kinds import Group, Severity
from hinterland.library.audit.rule import Rule

if TYPE_CHECKING:
    from hinterland.library.audit.audited_store import AuditedStore

_HASHES: Final = (
    "SELECT fetch.page, body_hash FROM fetch JOIN page ON page.id = fetch.page"
    " WHERE outcome = 'fetched' AND body_hash IS NOT NULL AND page.is_local ORDER BY fetch.page"
)


class ExactDuplicate(Rule):
    """Finds indexable pages whose bodies are identical, byte for byte."""

    name = "exact-duplicate"
    title = "Pages with exactly the same content as another"
    group = Group.DUPLICATES
    severity = Severity.WARNING
    why = "They share between them the rank that one page would have."
    mend = "Redirect all but one, or let them name that one as canonical."

    def faults(self, store: AuditedStore) -> Faults:
        """Return the pages of all groups of duplicates, each with the size and the first page of its group."""
        groups = defaultdict[bytes, list[int]](list)
        for page, body_hash in store.rows(_HASHES):
            if store.is_indexable[page]:
                groups[body_hash].append(page)
        found = [(page, pages) for pages in groups.values() if len(pages) > 1 for page in pages]
        urls = store.urls_of([pages[0] for _, pages in found])
        notes = [f"{len(pages)} pages like {urls[pages[0]]}" for _, pages in found]
        return Faults.of([page for page, _ in found], notes)
