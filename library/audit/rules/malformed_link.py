"""Pages with links whose URL cannot be used."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hinterland.library.audit.faults import Faults
from hinterland.library.audit.kinds import Group, Severity
from hinterland.library.audit.rule import Rule
from hinterland.library.text.wording import counted

if TYPE_CHECKING:
    from hinterland.library.audit.audited_store import AuditedStore

_BAD = (
    "SELECT fetch.page, bad_links FROM fetch JOIN page ON page.id = fetch.page"
    " WHERE bad_links > 0 AND outcome = 'fetched' AND page.is_local ORDER BY fetch.page"
)


class MalformedLink(Rule):
    """Finds pages with links that cannot be followed because their href is not a valid URL."""

    name = "malformed-link"
    title = "Pages with links whose URL is not valid"
    group = Group.LINKS
    severity = Severity.WARNING
    why = "Nobody can follow such a link."
    mend = "Correct the href: often a scheme is misspelt, or a placeholder in a template was not filled."

    def faults(self, store: AuditedStore) -> Faults:
        """Return the pages with such links, each with their number."""
        found = [(page, count) for page, count in store.rows(_BAD) if store.is_document[page]]
        return Faults.of([page for page, _ in found], [counted(count, "link") for _, count in found])
