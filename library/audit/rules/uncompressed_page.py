"""Pages that are sent without compression."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from hinterland.library.audit.faults import Faults
from hinterland.library.audit.kinds import Group, Severity
from hinterland.library.audit.rule import Rule
from hinterland.library.text.wording import size

if TYPE_CHECKING:
    from hinterland.library.audit.audited_store import AuditedStore

_LEAST_BYTES: Final = 10_000


class UncompressedPage(Rule):
    """Finds pages above a certain size that are sent uncompressed."""

    name = "uncompressed-page"
    title = "Pages of more than 10 KB that are sent uncompressed"
    group = Group.SPEED
    severity = Severity.NOTICE
    why = "HTML shrinks to a fifth by gzip, br or zstd."
    mend = "Switch compression on in the server."

    def faults(self, store: AuditedStore) -> Faults:
        """Return the pages sent without compression, each with its size."""
        pages = store.pages
        large = store.is_document & (pages.body_bytes > _LEAST_BYTES) & (pages.wire_bytes >= pages.body_bytes)
        found = np.flatnonzero(large)
        return Faults.of(found, [size(int(pages.body_bytes[page])) for page in found.tolist()])
