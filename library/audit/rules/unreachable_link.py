"""Links to pages of the site that gave no answer."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hinterland.library.audit.faults import Faults
from hinterland.library.audit.kinds import Group, Loss, Severity
from hinterland.library.audit.rule import Rule
from hinterland.library.audit.rules.reasons import linked_faults, unreachable

if TYPE_CHECKING:
    from hinterland.library.audit.audited_store import AuditedStore


class UnreachableLink(Rule):
    """Finds linked pages of the site that fail every time they are requested."""

    name = "unreachable-link"
    title = "Pages that are linked and gave a server error or no answer"
    group = Group.LINKS
    severity = Severity.ERROR
    why = "Visitors and search engines meet the same error, unless it was a passing one."
    mend = "Look into the server's log at the time of the visit; `recrawl` asks again."
    loss = Loss.FLOW

    def faults(self, store: AuditedStore) -> Faults:
        """Return the pages of the site that give no answer, each with the pages that link to it."""
        return linked_faults(store, unreachable(store) & store.pages.is_local)
