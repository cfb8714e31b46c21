"""Files that could not be checked."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hinterland.library.audit.faults import Faults
from hinterland.library.audit.kinds import Group, Need, Severity
from hinterland.library.audit.rule import Rule
from hinterland.library.audit.rules.broken_asset import OTHERS
from hinterland.library.audit.rules.checked_faults import loaded_faults

if TYPE_CHECKING:
    from hinterland.library.audit.audited_store import AuditedStore


class UncheckedAsset(Rule):
    """Finds files that the crawler could not get because of robots.txt, a rate limit or a bot filter."""

    name = "unchecked-asset"
    title = "Images, styles and scripts that could not be checked"
    group = Group.ASSETS
    severity = Severity.NOTICE
    why = "Nothing is known about them. Search engines may be kept from them, too, and then see the pages without."
    mend = "Allow them in robots.txt and in the filter of the server."
    needs = (Need.FACTS, Need.CHECKS)

    def faults(self, store: AuditedStore) -> Faults:
        """Return the files that could not be checked, each with the pages that load it."""
        return loaded_faults(store, ("image", "icon", *OTHERS), lambda said: said.is_unsaid)
