"""Links to pages of other hosts that do not exist."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hinterland.library.audit.faults import Faults
from hinterland.library.audit.kinds import Group, Loss, Need, Severity
from hinterland.library.audit.rule import Rule
from hinterland.library.audit.rules.checked_faults import outside_faults, unasked_outside
from hinterland.library.audit.rules.reasons import absent
from hinterland.library.text.wording import counted

if TYPE_CHECKING:
    from hinterland.library.audit.audited_store import AuditedStore


class BrokenOutsideLink(Rule):
    """Finds missing pages of other hosts to which pages link."""

    name = "broken-outside-link"
    title = "Pages of other hosts that are linked and do not exist"
    group = Group.LINKS
    severity = Severity.ERROR
    why = "Visitors end at an error."
    mend = "Correct or remove the links."
    needs = (Need.CHECKS,)
    loss = Loss.FLOW

    def faults(self, store: AuditedStore) -> Faults:
        """Return the missing pages of other hosts, each with the pages that link to it."""
        return outside_faults(store, lambda said: said.is_absent, absent(store))

    def caveat(self, store: AuditedStore) -> str:
        """Return how many pages of other hosts are linked but were neither visited nor checked."""
        unasked = unasked_outside(store)
        return f"not asked for: {counted(unasked, 'linked page')} of other hosts" if unasked else ""
