"""Files that gave no answer."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hinterland.library.audit.faults import Faults
from hinterland.library.audit.kinds import Group, Need, Severity
from hinterland.library.audit.rule import Rule
from hinterland.library.audit.rules.broken_asset import OTHERS
from hinterland.library.audit.rules.checked_faults import loaded_faults

if TYPE_CHECKING:
    from hinterland.library.audit.audited_store import AuditedStore


class UnreachableAsset(Rule):
    """Finds images, styles, scripts and other files that gave a server error or no answer."""

    name = "unreachable-asset"
    title = "Images, styles and scripts that gave no answer"
    group = Group.ASSETS
    severity = Severity.WARNING
    why = "The pages look wrong, or do not work, unless it was a passing error."
    mend = "Look into the log of the server at the time of the check."
    needs = (Need.FACTS, Need.CHECKS)

    def faults(self, store: AuditedStore) -> Faults:
        """Return the files without an answer, each with the pages that load it."""
        return loaded_faults(store, ("image", "icon", *OTHERS), lambda said: said.is_unreachable)
