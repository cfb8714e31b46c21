"""Links to pages of other hosts that could not be checked."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hinterland.library.audit.faults import Faults
from hinterland.library.audit.kinds import Group, Loss, Need, Severity
from hinterland.library.audit.rule import Rule
from hinterland.library.audit.rules.checked_faults import outside_faults
from hinterland.library.audit.rules.reasons import refused_to_say

if TYPE_CHECKING:
    from hinterland.library.audit.audited_store import AuditedStore


class UncheckedOutsideLink(Rule):
    """Finds pages of other hosts that refused the crawler by a login, a rate limit, a bot filter or robots.txt."""

    name = "unchecked-outside-link"
    title = "Linked pages of other hosts that could not be checked"
    group = Group.LINKS
    severity = Severity.NOTICE
    why = "Their servers refused the crawler: nothing is known about the pages. They may be in order."
    mend = "Open them in a browser, if they matter."
    needs = (Need.CHECKS,)
    loss = Loss.FLOW

    def faults(self, store: AuditedStore) -> Faults:
        """Return the pages of other hosts that could not be checked, each with the pages that link to it."""
        return outside_faults(store, lambda said: said.is_unsaid, refused_to_say(store))
