"""Links to pages of the site that refused the crawler."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hinterland.library.audit.faults import Faults
from hinterland.library.audit.kinds import Group, Loss, Severity
from hinterland.library.audit.rule import Rule
from hinterland.library.audit.rules.reasons import linked_faults, refused_to_say

if TYPE_CHECKING:
    from hinterland.library.audit.audited_store import AuditedStore


class UncheckedLink(Rule):
    """Finds pages that refused the crawler by a login, a rate limit or a bot filter; they may be fine."""

    name = "unchecked-link"
    title = "Linked pages that could not be checked"
    group = Group.LINKS
    severity = Severity.NOTICE
    why = "The server refused the crawler, by a login, a rate limit or a bot filter: nothing is known about the pages."
    mend = "Open them in a browser, or allow the crawler in the server's filter."
    loss = Loss.FLOW

    def faults(self, store: AuditedStore) -> Faults:
        """Return the pages that refused the crawler, each with the pages that link to it."""
        return linked_faults(store, refused_to_say(store) & store.pages.is_local)
