"""Pages with several main headings."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hinterland.library.audit.faults import Faults
from hinterland.library.audit.kinds import Group, Need, Severity
from hinterland.library.audit.rule import Rule
from hinterland.library.audit.rules.headings import Headings, first_level, heading_faults

if TYPE_CHECKING:
    from hinterland.library.audit.audited_store import AuditedStore


class H1Several(Rule):
    """Finds pages with more than one heading of the first level."""

    name = "h1-several"
    title = "Pages with several main headings (h1)"
    group = Group.CONTENT
    severity = Severity.NOTICE
    why = "It is unclear which of them says what the page is about."
    mend = "Keep one h1, and make the others h2."
    needs = (Need.TEXTS,)

    def faults(self, store: AuditedStore) -> Faults:
        """Return the pages with several main headings, each with their number."""
        return heading_faults(store, _wrong)


def _wrong(headings: Headings) -> str:
    count = len(first_level(headings))
    return f"{count} h1" if count > 1 else ""
