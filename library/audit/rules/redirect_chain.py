"""Links whose target redirects several times."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from hinterland.library.audit.faults import Faults
from hinterland.library.audit.kinds import Group, Loss, Severity
from hinterland.library.audit.rule import Rule

if TYPE_CHECKING:
    from hinterland.library.audit.audited_store import AuditedStore


class RedirectChain(Rule):
    """Finds linked URLs from which two or more redirects lead to a page."""

    name = "redirect-chain"
    title = "Linked addresses that are redirected several times"
    group = Group.REDIRECTS
    severity = Severity.WARNING
    why = "Every redirect costs a request, and search engines give up after a few."
    mend = "Redirect straight to the last address, and link to it."
    loss = Loss.FLOW

    def faults(self, store: AuditedStore) -> Faults:
        """Return the first URL of each chain of redirects, with the end of the chain and the linking pages."""
        chains = store.chains
        long = store.pages.is_local & (chains.lengths >= 2) & (chains.ends >= 0) & store.is_linked
        found = np.flatnonzero(long).astype(np.int32)
        urls = store.urls_of(chains.ends[found])
        notes = [f"{chains.lengths[page]} redirects to {urls[int(chains.ends[page])]}" for page in found.tolist()]
        return Faults.of(found, notes, store.linking(found))
