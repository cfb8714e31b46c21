"""Pages with a very large amount of markup."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from hinterland.library.audit.faults import Faults
from hinterland.library.audit.kinds import Group, Severity
from hinterland.library.audit.rule import Rule
from hinterland.library.text.wording import size

if TYPE_CHECKING:
    from hinterland.library.audit.audited_store import AuditedStore

_MOST_BYTES: Final = 500_000


class HeavyPage(Rule):
    """Finds pages whose HTML alone is large, in bytes as sent."""

    name = "heavy-page"
    title = "Pages with more than 500 KB of HTML as sent"
    group = Group.SPEED
    severity = Severity.WARNING
    why = "They take long on a slow line, and browsers take long to show them."
    mend = "Compress answers, and divide long pages."

    def faults(self, store: AuditedStore) -> Faults:
        """Return the large pages, each with its size."""
        found = np.flatnonzero(store.is_document & (store.pages.wire_bytes > _MOST_BYTES))
        return Faults.of(found, [size(int(store.pages.wire_bytes[page])) for page in found.tolist()])
