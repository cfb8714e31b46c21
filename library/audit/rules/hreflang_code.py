"""Translations whose language code is unknown."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from hinterland.library.audit.faults import Faults
from hinterland.library.audit.kinds import Group, Need, Severity
from hinterland.library.audit.rule import Rule
from hinterland.library.audit.rules.translations import translations
from hinterland.library.text.wording import shortened

if TYPE_CHECKING:
    from hinterland.library.audit.audited_store import AuditedStore

_LANGUAGES: Final = (
    "aa ab ae af ak am an ar as av ay az ba be bg bh bi bm bn bo br bs ca ce ch co cr cs cu cv cy da de dv dz "
    "ee el en eo es et eu fa ff fi fj fo fr fy ga gd gl gn gu gv ha he hi ho hr ht hu hy hz ia id ie ig ii ik "
    "io is it iu ja jv ka kg ki kj kk kl km kn ko kr ks ku kv kw ky la lb lg li ln lo lt lu lv mg mh mi mk ml "
    "mn mr ms mt my na nb nd ne ng nl nn no nr nv ny oc oj om or os pa pi pl ps pt qu rm rn ro ru rw sa sc sd "
    "se sg si sk sl sm sn so sq sr ss st su sv sw ta te tg th ti tk tl tn to tr ts tt tw ty ug uk ur uz ve vi "
    "vo wa wo xh yi yo za zh zu"
)
"""The languages of ISO 639-1."""
_CODE: Final = re.compile(
    rf"(?:{_LANGUAGES.replace(' ', '|')}|[a-z]{{3}})(?:-[a-z]{{4}})?(?:-(?!uk$)(?:[a-z]{{2}}|[0-9]{{3}}))?",
    re.IGNORECASE,
)
"""No country is named UK: the United Kingdom is GB, a common mistake."""


class HreflangCode(Rule):
    """Finds hreflang attributes that do not name a language, optionally with a script and a country."""

    name = "hreflang-code"
    title = "Translations with an invalid language code"
    group = Group.LANGUAGES
    severity = Severity.ERROR
    why = "Search engines ignore the translation."
    mend = "Write a language of ISO 639-1, and if need be a country of ISO 3166-1: en, en-GB, x-default."
    needs = (Need.FACTS,)

    def faults(self, store: AuditedStore) -> Faults:
        """Return the pages with unknown language codes, each with these codes."""
        found: dict[int, list[str]] = {}
        for each in translations(store):
            if each.language.lower() != "x-default" and not _CODE.fullmatch(each.language):
                found.setdefault(each.page, []).append(each.language)
        return Faults.of(list(found), [shortened(", ".join(codes), 200) for codes in found.values()])
