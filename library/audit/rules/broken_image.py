"""Images that do not exist."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hinterland.library.audit.faults import Faults
from hinterland.library.audit.kinds import Group, Need, Severity
from hinterland.library.audit.rule import Rule
from hinterland.library.audit.rules.checked_faults import loaded_faults

if TYPE_CHECKING:
    from hinterland.library.audit.audited_store import AuditedStore


class BrokenImage(Rule):
    """Finds missing images that pages show."""

    name = "broken-image"
    title = "Images that do not exist"
    group = Group.ASSETS
    severity = Severity.ERROR
    why = "Visitors see an empty frame."
    mend = "Put the image back, or correct the address."
    needs = (Need.FACTS, Need.CHECKS)

    def faults(self, store: AuditedStore) -> Faults:
        """Return the missing images, each with the pages that show it."""
        return loaded_faults(store, ("image", "icon"), lambda said: said.is_absent)
