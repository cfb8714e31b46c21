"""Links to anchors that are not there."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from hinterland.crawler.features.page_facts.facts import fragment_hashes, has_anchor
from hinterland.library.audit.faults import NO_FAULTS, Faults, grouped_causes
from hinterland.library.audit.kinds import Group, Need, Severity
from hinterland.library.audit.loaded import ANCHORS, FragmentLinks, anchor_ids, fragment_links_of
from hinterland.library.audit.rule import Rule
from hinterland.library.text.wording import counted

if TYPE_CHECKING:
    from hinterland.library.audit.audited_store import AuditedStore


class BrokenFragment(Rule):
    """Finds links to a place in a page that has no anchor of that name."""

    name = "broken-fragment"
    title = "Links to anchors that do not exist"
    group = Group.LINKS
    severity = Severity.WARNING
    why = "Visitors end at the top of a page instead of the place that was meant."
    mend = "Correct the fragment, or give the place its id back."
    noun = ("link", "links")
    needs = (Need.FACTS,)

    def faults(self, store: AuditedStore) -> Faults:
        """Return the addresses with their fragments, with the pages that link there."""
        links = fragment_links_of(row for row in store.rows(ANCHORS) if store.pages.is_local[row[0]])
        numbers = store.numbers_of(links.urls)
        known = (
            np.array([numbers.get(url, -1) for url in links.urls], np.int32) if links.urls else np.empty(0, np.int32)
        )
        targets = np.where([not url for url in links.urls], -2, known)[links.targets] if links.urls else links.targets
        own = targets == -2
        ended = np.where(own, links.sources, store.chains.ends[np.maximum(targets, 0)])
        may_judge = (own | (targets >= 0)) & (ended >= 0) & store.is_document[np.maximum(ended, 0)]
        pairs = np.unique((ended[may_judge].astype(np.int64) << 32) | links.names[may_judge])
        wrong = _without_anchor(store, pairs, links)
        if not len(wrong):
            return NO_FAULTS
        every = (ended.astype(np.int64) << 32) | links.names
        chosen = np.flatnonzero(may_judge & np.isin(every, wrong))
        causes = grouped_causes(
            len(wrong), np.searchsorted(wrong, every[chosen]).astype(np.int32), links.sources[chosen]
        )
        urls = store.urls_of((wrong >> 32).astype(np.int32))
        names = [f"{urls[int(pair) >> 32]}#{links.fragments[int(pair) & 0xFFFFFFFF]}" for pair in wrong]
        return Faults.elsewhere(names, (), causes)

    def caveat(self, store: AuditedStore) -> str:
        """Return what is not seen."""
        cut = sum("left_out" in fields for fields in store.page_facts.values())
        more = f"; {counted(cut, 'page has', 'pages have')} more references than are kept" if cut else ""
        return f"anchors that only scripts make are not seen{more}"


def _without_anchor(store: AuditedStore, pairs: NDArray[np.int64], links: FragmentLinks) -> NDArray[np.int64]:
    """Return the pairs of page and fragment whose page has no such anchor, ascending."""
    wanted: dict[int, list[int]] = {}
    for pair in pairs.tolist():
        wanted.setdefault(pair >> 32, []).append(pair & 0xFFFFFFFF)
    wrong: list[int] = []
    hashes = {name: fragment_hashes(links.fragments[name]) for name in {pair & 0xFFFFFFFF for pair in pairs.tolist()}}
    told = set[int]()
    for page, ids in anchor_ids(store.rows(ANCHORS)):
        if names := wanted.get(page):
            told.add(page)
            wrong += [(page << 32) | name for name in names if not any(has_anchor(ids, each) for each in hashes[name])]
    facts = store.page_facts  # a page with facts and without a record of anchors has none
    wrong += [
        (page << 32) | name for page, names in wanted.items() if page not in told and page in facts for name in names
    ]
    return np.array(sorted(wrong), np.int64)
