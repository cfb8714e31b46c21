"""Pages to which only one page links."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from hinterland.library.audit.faults import Causes, Faults
from hinterland.library.audit.kinds import Group, Severity
from hinterland.library.audit.rule import Rule

if TYPE_CHECKING:
    from hinterland.library.audit.audited_store import AuditedStore


class SingleInlink(Rule):
    """Finds pages with a link from only one other page: if that page changes, they may lose this link."""

    name = "single-inlink"
    title = "Pages that only one other page links to"
    group = Group.STRUCTURE
    severity = Severity.NOTICE
    why = "They are hard to find, and lost if that one link goes."
    mend = "Link to those that matter from further pages."
    needs_whole_crawl = True

    def faults(self, store: AuditedStore) -> Faults:
        """Return the pages with a single inlink, each with the page that links to it. Start pages are left out."""
        links, ends = store.followed, store.chains.ends
        ended = np.maximum(ends[links.targets], 0)
        chosen = (ended != links.sources) & store.is_document[ended] & ~store.is_seed[ended]
        pairs = np.unique((ended[chosen].astype(np.int64) << 32) | links.sources[chosen])
        pages, counts = np.unique(pairs >> 32, return_counts=True)
        found = pages[counts == 1]
        sources = pairs[np.isin(pairs >> 32, found)] & 0xFFFFFFFF
        causes = Causes(np.arange(len(found) + 1, dtype=np.int64), sources.astype(np.int32))
        return Faults.of(found.astype(np.int32), (), causes)
