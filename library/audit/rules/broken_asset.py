"""Styles, scripts, fonts and media that do not exist."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from hinterland.library.audit.faults import Faults
from hinterland.library.audit.kinds import Group, Need, Severity
from hinterland.library.audit.rule import Rule
from hinterland.library.audit.rules.checked_faults import loaded_faults

if TYPE_CHECKING:
    from hinterland.library.audit.audited_store import AuditedStore

OTHERS: Final = ("style", "script", "font", "media", "track", "manifest", "data")
"""The kinds of files that pages load, without images."""


class BrokenAsset(Rule):
    """Finds missing files, other than images, that pages load."""

    name = "broken-asset"
    title = "Styles, scripts, fonts and media that do not exist"
    group = Group.ASSETS
    severity = Severity.ERROR
    why = "The pages look wrong, or do not work."
    mend = "Put the file back, or correct the address."
    needs = (Need.FACTS, Need.CHECKS)

    def faults(self, store: AuditedStore) -> Faults:
        """Return the missing files, each with the pages that load it."""
        return loaded_faults(store, OTHERS, lambda said: said.is_absent)
