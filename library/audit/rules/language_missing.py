"""Pages that do not say their language."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hinterland.library.audit.faults import Faults
from hinterland.library.audit.kinds import Group, Severity
from hinterland.library.audit.rule import Rule

if TYPE_CHECKING:
    from hinterland.library.audit.audited_store import AuditedStore


class LanguageMissing(Rule):
    """Finds pages with neither a lang attribute nor a Content-Language."""

    name = "language-missing"
    title = "Pages that do not say their language"
    group = Group.LANGUAGES
    severity = Severity.NOTICE
    why = "Screen readers choose their voice by it, and browsers offer to translate."
    mend = 'Add lang to the html element, for example <html lang="en">.'

    def faults(self, store: AuditedStore) -> Faults:
        """Return the pages that do not declare their language."""
        documents = store.documents
        places = [place for place, language in enumerate(documents.languages) if not language.strip()]
        return Faults.of(documents.pages[places])
