"""Pages whose canonical page names a third page as canonical."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from hinterland.library.audit.faults import Faults
from hinterland.library.audit.kinds import Group, Severity
from hinterland.library.audit.rule import Rule

if TYPE_CHECKING:
    from hinterland.library.audit.audited_store import AuditedStore


class CanonicalChain(Rule):
    """Finds pages whose canonical page names a third page as canonical."""

    name = "canonical-chain"
    title = "Pages whose canonical page names yet another one"
    group = Group.INDEXING
    severity = Severity.WARNING
    why = "Search engines may ignore both statements."
    mend = "Let all of them name the last one."

    def faults(self, store: AuditedStore) -> Faults:
        """Return the pages whose canonical page names another one, each with the chain of canonical pages."""
        canonicals, own = store.pages.canonicals, np.arange(store.pages.count)
        is_other = store.is_document & (canonicals >= 0) & (canonicals != own)
        found = np.flatnonzero(is_other & is_other[np.maximum(canonicals, 0)]).astype(np.int32)
        following = canonicals[canonicals[found]]
        urls = store.urls_of([*canonicals[found].tolist(), *following.tolist()])
        notes = [
            f"{urls[int(canonicals[page])]}, then {urls[int(last)]}"
            for page, last in zip(found.tolist(), following, strict=True)
        ]
        return Faults.of(found, notes)
