"""Pages that name translations by hreflang, while the translations do not name them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hinterland.library.audit.faults import Faults
from hinterland.library.audit.kinds import Group, Need, Severity
from hinterland.library.audit.rule import Rule
from hinterland.library.audit.rules.translations import translations
from hinterland.library.text.wording import shortened

if TYPE_CHECKING:
    from hinterland.library.audit.audited_store import AuditedStore


class HreflangNoReturn(Rule):
    """Finds pages that name a translation by hreflang, while the translation does not name them."""

    name = "hreflang-no-return"
    title = "Translations without a link back"
    group = Group.LANGUAGES
    severity = Severity.WARNING
    why = "Search engines ignore such a pair."
    mend = "Let all versions of a page name each other, and themselves."
    needs = (Need.FACTS,)

    def faults(self, store: AuditedStore) -> Faults:
        """Return the pages that a translation of theirs does not name, each with these translations."""
        named = {(each.page, each.target) for each in translations(store)}
        found: dict[int, list[str]] = {}
        for each in translations(store):
            target = each.target
            if target is None or target == each.page or not store.is_document[target] or (target, each.page) in named:
                continue
            found.setdefault(each.page, []).append(each.url)
        return Faults.of(list(found), [shortened(", ".join(urls), 300) for urls in found.values()])
