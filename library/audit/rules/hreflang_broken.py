"""Translations that a search engine cannot show."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hinterland.library.audit.faults import Faults
from hinterland.library.audit.kinds import Group, Need, Severity
from hinterland.library.audit.rule import Rule
from hinterland.library.audit.rules.reasons import absent, reason, unreachable
from hinterland.library.audit.rules.translations import translations
from hinterland.library.text.wording import shortened

if TYPE_CHECKING:
    from hinterland.library.audit.audited_store import AuditedStore


class HreflangBroken(Rule):
    """Finds pages that name a translation that is missing, redirects or must not be indexed."""

    name = "hreflang-broken"
    title = "Translations that are missing, moved or not to be indexed"
    group = Group.LANGUAGES
    severity = Severity.ERROR
    why = "Search engines ignore the translation."
    mend = "Name the final address of a page that may be indexed."
    needs = (Need.FACTS,)

    def faults(self, store: AuditedStore) -> Faults:
        """Return the pages that name such a translation, each with what is wrong with its translations."""
        pages = store.pages
        dead = absent(store) | unreachable(store)
        moved = pages.is_state("redirected")
        closed = store.is_document & ~store.is_indexable
        found: dict[int, list[str]] = {}
        for each in translations(store):
            target = each.target
            if target is None:
                continue
            if dead[target]:
                found.setdefault(each.page, []).append(f"{each.url}: {reason(store, target)}")
            elif moved[target]:
                found.setdefault(each.page, []).append(f"{each.url}: redirects")
            elif closed[target]:
                found.setdefault(each.page, []).append(f"{each.url}: noindex, or another canonical page")
        return Faults.of(list(found), [shortened("; ".join(notes), 300) for notes in found.values()])
