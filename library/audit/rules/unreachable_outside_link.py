"""Links to pages of other hosts that gave no answer."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hinterland.library.audit.faults import Faults
from hinterland.library.audit.kinds import Group, Loss, Need, Severity
from hinterland.library.audit.rule import Rule
from hinterland.library.audit.rules.checked_faults import outside_faults
from hinterland.library.audit.rules.reasons import unreachable

if TYPE_CHECKING:
    from hinterland.library.audit.audited_store import AuditedStore


class UnreachableOutsideLink(Rule):
    """Finds linked pages of other hosts that gave a server error or no answer."""

    name = "unreachable-outside-link"
    title = "Pages of other hosts that are linked and gave no answer"
    group = Group.LINKS
    severity = Severity.WARNING
    why = "Visitors meet the same error, unless it was a passing one."
    mend = "Try the pages in a browser; remove the links if there is still no answer."
    needs = (Need.CHECKS,)
    loss = Loss.FLOW

    def faults(self, store: AuditedStore) -> Faults:
        """Return the pages of other hosts that gave no answer, each with the pages that link to it."""
        return outside_faults(store, lambda said: said.is_unreachable, unreachable(store))
