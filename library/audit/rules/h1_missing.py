"""Pages without a main heading."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hinterland.library.audit.faults import Faults
from hinterland.library.audit.kinds import Group, Need, Severity
from hinterland.library.audit.rule import Rule
from hinterland.library.audit.rules.headings import Headings, first_level, heading_faults

if TYPE_CHECKING:
    from hinterland.library.audit.audited_store import AuditedStore


class H1Missing(Rule):
    """Finds pages without a heading of the first level."""

    name = "h1-missing"
    title = "Pages without a main heading (h1)"
    group = Group.CONTENT
    severity = Severity.WARNING
    why = "Screen readers and search engines look there for what the page is about."
    mend = "Mark up the main heading as h1."
    needs = (Need.TEXTS,)

    def faults(self, store: AuditedStore) -> Faults:
        """Return the pages without a main heading."""
        return heading_faults(store, _wrong)


def _wrong(headings: Headings) -> str:
    return "" if any(text.strip() for text in first_level(headings)) else "no h1"
