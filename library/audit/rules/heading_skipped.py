"""Pages whose headings skip a level."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from hinterland.library.audit.faults import Faults
from hinterland.library.audit.kinds import Group, Need, Severity
from hinterland.library.audit.rule import Rule
from hinterland.library.audit.rules.headings import Headings, heading_faults
from hinterland.library.text.wording import shortened

if TYPE_CHECKING:
    from hinterland.library.audit.audited_store import AuditedStore


class HeadingSkipped(Rule):
    """Finds pages on which a heading is more than one level below the previous heading, such as h4 after h2."""

    name = "heading-skipped"
    title = "Pages whose headings skip a level"
    group = Group.CONTENT
    severity = Severity.NOTICE
    why = "People who find their way by the outline of the page are lost there (WCAG 1.3.1)."
    mend = "Use the next level, and change the looks by CSS."
    needs = (Need.TEXTS,)

    def faults(self, store: AuditedStore) -> Faults:
        """Return the pages whose headings skip a level, each with the first such heading."""
        return heading_faults(store, _wrong)


def _wrong(headings: Headings) -> str:
    for above, below in pairwise(headings):
        if below.level > above.level + 1:
            return f"h{above.level} is followed by h{below.level}: {shortened(below.text, 80)}"
    return ""
