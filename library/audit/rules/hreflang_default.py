"""Pages that name translations, but no default translation."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hinterland.library.audit.faults import Faults
from hinterland.library.audit.kinds import Group, Need, Severity
from hinterland.library.audit.rule import Rule
from hinterland.library.audit.rules.translations import translations

if TYPE_CHECKING:
    from hinterland.library.audit.audited_store import AuditedStore


class HreflangDefault(Rule):
    """Finds pages that name translations but no x-default."""

    name = "hreflang-default"
    title = "Pages with translations and no x-default"
    group = Group.LANGUAGES
    severity = Severity.NOTICE
    why = "Search engines then guess which version to show to speakers of other languages."
    mend = 'Name one version with hreflang="x-default".'
    needs = (Need.FACTS,)

    def faults(self, store: AuditedStore) -> Faults:
        """Return the pages that name translations but no x-default."""
        named: dict[int, set[str]] = {}
        for each in translations(store):
            named.setdefault(each.page, set()).add(each.language.lower())
        return Faults.of([page for page, codes in named.items() if len(codes) > 1 and "x-default" not in codes])
