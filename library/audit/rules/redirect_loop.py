"""Links to URLs whose redirects never end."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from hinterland.library.audit.faults import Faults
from hinterland.library.audit.kinds import Group, Loss, Severity
from hinterland.library.audit.rule import Rule

if TYPE_CHECKING:
    from hinterland.library.audit.audited_store import AuditedStore


class RedirectLoop(Rule):
    """Finds linked URLs whose redirects lead back to themselves, or never end."""

    name = "redirect-loop"
    title = "Linked addresses whose redirects never end"
    group = Group.REDIRECTS
    severity = Severity.ERROR
    why = "Browsers give up with an error."
    mend = "Let the redirect lead to a page."
    loss = Loss.FLOW

    def faults(self, store: AuditedStore) -> Faults:
        """Return the URLs whose redirects never end, each with the pages that link to it."""
        endless = (store.chains.ends < 0) | store.pages.has_outcome("too_many_redirects")
        found = np.flatnonzero(endless & store.pages.is_local & store.is_linked).astype(np.int32)
        return Faults.of(found, (), store.linking(found))
