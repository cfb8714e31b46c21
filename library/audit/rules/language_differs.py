"""Pages whose text is not in the language that they declare."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hinterland.library.audit.faults import Faults
from hinterland.library.audit.kinds import Group, Need, Severity
from hinterland.library.audit.rule import Rule

if TYPE_CHECKING:
    from hinterland.library.audit.audited_store import AuditedStore


class LanguageDiffers(Rule):
    """Finds pages whose declared language differs from the language of their text."""

    name = "language-differs"
    title = "Pages whose text is not in the declared language"
    group = Group.LANGUAGES
    severity = Severity.WARNING
    why = "Screen readers read them with the wrong voice, and browsers offer a wrong translation."
    mend = "Correct lang on the html element."
    needs = (Need.TEXTS, Need.LANGUAGES)

    def faults(self, store: AuditedStore) -> Faults:
        """Return the pages whose text is not in the declared language, each with both languages."""
        documents, found = store.documents, store.text_languages
        places = [place for place, language in enumerate(found) if language]
        notes = [f"says {documents.languages[place]}, reads like {found[place]}" for place in places]
        return Faults.of(documents.pages[places], notes)
