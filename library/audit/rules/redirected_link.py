"""Links to URLs that redirect permanently."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from hinterland.library.audit.faults import Faults
from hinterland.library.audit.kinds import Group, Loss, Severity
from hinterland.library.audit.rule import Rule
from hinterland.library.audit.rules.redirects import redirect_faults

if TYPE_CHECKING:
    from hinterland.library.audit.audited_store import AuditedStore

PERMANENT: Final = (301, 308)


class RedirectedLink(Rule):
    """Finds linked URLs from which a page has moved permanently."""

    name = "redirected-link"
    title = "Linked addresses that redirect permanently"
    group = Group.REDIRECTS
    severity = Severity.NOTICE
    why = "Each visit costs a second request, and some rank may be lost on the way."
    mend = "Link to the new address."
    loss = Loss.FLOW

    def faults(self, store: AuditedStore) -> Faults:
        """Return the URLs that redirect permanently, each with the pages that link to it."""
        return redirect_faults(store, PERMANENT)
