"""Links to URLs that redirect temporarily."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from hinterland.library.audit.faults import Faults
from hinterland.library.audit.kinds import Group, Loss, Severity
from hinterland.library.audit.rule import Rule
from hinterland.library.audit.rules.redirects import redirect_faults

if TYPE_CHECKING:
    from hinterland.library.audit.audited_store import AuditedStore

_TEMPORARY: Final = (302, 303, 307)


class TemporaryRedirect(Rule):
    """Finds linked URLs whose redirect is declared to be temporary."""

    name = "temporary-redirect"
    title = "Linked addresses that redirect temporarily"
    group = Group.REDIRECTS
    severity = Severity.WARNING
    why = "Search engines may go on showing the old address; a permanent redirect should have a permanent status."
    mend = "Answer with status 301 or 308 if the page has moved permanently, and link to the new address."
    loss = Loss.FLOW

    def faults(self, store: AuditedStore) -> Faults:
        """Return the URLs that redirect temporarily, each with the pages that link to it."""
        return redirect_faults(store, _TEMPORARY)
