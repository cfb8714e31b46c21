"""Pages with a very long main heading."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hinterland.library.audit.faults import Faults
from hinterland.library.audit.kinds import Group, Need, Severity
from hinterland.library.audit.rule import Rule
from hinterland.library.audit.rules.headings import Headings, first_level, heading_faults

if TYPE_CHECKING:
    from hinterland.library.audit.audited_store import AuditedStore


class H1Long(Rule):
    """Finds pages whose main heading is so long that it seems to be a paragraph."""

    name = "h1-long"
    title = "Pages with a main heading (h1) of more than 120 characters"
    group = Group.CONTENT
    severity = Severity.NOTICE
    why = "A heading that long no longer sums up the page; often a whole block is marked up as h1 by mistake."
    mend = "Shorten it, or mark up only the heading."
    needs = (Need.TEXTS,)

    def faults(self, store: AuditedStore) -> Faults:
        """Return the pages with a very long main heading, each with the length of the heading."""
        return heading_faults(store, _wrong)


def _wrong(headings: Headings) -> str:
    longest = max((len(text) for text in first_level(headings)), default=0)
    return f"{longest} characters" if longest > 120 else ""
