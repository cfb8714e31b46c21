"""Links to anchors that do not exist."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, Final

import numpy as np
from numpy.typing import NDArray

from hinterland.analysis.graph import BoolArray, IntArray
from hinterland.crawler.features.page_facts.facts import HASH_BYTES, fragment_hashes
from hinterland.library.audit.faults import NO_FAULTS, Faults, grouped_causes
from hinterland.library.audit.kinds import Group, Need, Severity
from hinterland.library.audit.loaded import ANCHORS, FragmentLinks, anchor_ids, fragment_links_of
from hinterland.library.audit.rule import Rule
from hinterland.library.text.wording import counted

if TYPE_CHECKING:
    from hinterland.library.audit.audited_store import AuditedStore

_AT_ONCE: Final = 1_000
"""Pages whose anchors are compared at a time."""


class BrokenFragment(Rule):
    """Finds links with a fragment for which the target page has no anchor."""

    name = "broken-fragment"
    title = "Links to anchors that do not exist"
    group = Group.LINKS
    severity = Severity.WARNING
    why = "Visitors see the top of a page instead of the intended place."
    mend = "Correct the fragment, or give the place its id back."
    needs = (Need.FACTS,)

    def faults(self, store: AuditedStore) -> Faults:
        """Return the URLs with fragments that do not exist, each with the pages that link to it."""
        links = fragment_links_of(row for row in store.rows(ANCHORS) if store.pages.is_local[row[0]])
        if not links.urls:
            return NO_FAULTS
        ends = _ends(store, links)
        every = np.where(ends < 0, -1, (ends.astype(np.int64) << 32) | links.names)
        wrong = _without_anchor(store, _distinct(every[ends >= 0]), links)
        if not len(wrong):
            return NO_FAULTS
        chosen = np.flatnonzero(_is_in(every, wrong))
        causes = grouped_causes(
            len(wrong), np.searchsorted(wrong, every[chosen]).astype(np.int32), links.sources[chosen]
        )
        urls = store.urls_of((wrong >> 32).astype(np.int32))
        names = [f"{urls[int(pair) >> 32]}#{links.fragments[int(pair) & 0xFFFFFFFF]}" for pair in wrong]
        return Faults.elsewhere(names, (), causes)

    def caveat(self, store: AuditedStore) -> str:
        """Return a sentence that says which links to fragments are not examined."""
        cut = sum("left_out" in fields for fields in store.page_facts.values())
        more = f"; {counted(cut, 'page has', 'pages have')} more references than are kept" if cut else ""
        return f"anchors that only scripts make are not seen{more}"


def _ends(store: AuditedStore, links: FragmentLinks) -> IntArray:
    """Return, for each link to a fragment, the document where its redirects end; -1 if it is unknown."""
    numbers = store.numbers_of(links.urls)
    known = np.array([numbers.get(url, -1) for url in links.urls], np.int32)
    ends = np.where(known < 0, -1, store.chains.ends[known])[links.targets]
    is_own = np.array([not url for url in links.urls], np.bool_)[links.targets]
    ends = np.where(is_own, links.sources, ends)
    found: IntArray = np.where(store.is_document[ends] & (ends >= 0), ends, -1)
    return found


def _without_anchor(store: AuditedStore, pairs: NDArray[np.int64], links: FragmentLinks) -> NDArray[np.int64]:
    """Return the pairs of page and fragment whose page has stored facts but no such anchor.

    All pairs are ascending, in the argument and in the result.
    """
    pages, names = pairs >> 32, pairs & 0xFFFFFFFF
    hashes = [fragment_hashes(fragment) for fragment in links.fragments]
    meant = [np.frombuffer(b"".join(each), ">u4").astype(np.int64) for each in zip(*hashes, strict=True)]
    is_there = np.zeros(len(pairs), np.bool_)
    rows = anchor_ids(store.rows(ANCHORS))
    while batch := list(islice(rows, _AT_ONCE)):
        sizes = [len(ids) // HASH_BYTES for _, ids in batch]
        anchors = np.frombuffer(b"".join(ids for _, ids in batch), ">u4").astype(np.int64)
        anchors |= np.repeat(np.array([page for page, _ in batch], np.int64), sizes) << 32  # ascending, as the rows are
        asked = slice(*np.searchsorted(pages, [batch[0][0], batch[-1][0] + 1]))
        for of_name in meant:
            is_there[asked] |= _is_in(pages[asked] << 32 | of_name[names[asked]], anchors)
    has_facts = np.zeros(store.pages.count, np.bool_)
    has_facts[list(store.page_facts)] = True
    found: NDArray[np.int64] = pairs[~is_there & has_facts[pages]]
    return found


def _distinct(values: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return distinct values, ascending, in less memory than np.unique takes."""
    values.sort()
    return values[np.append(True, values[1:] != values[:-1])] if len(values) else values


def _is_in(values: NDArray[np.int64], ascending: NDArray[np.int64]) -> BoolArray:
    if not len(ascending):
        return np.zeros(len(values), np.bool_)
    found: BoolArray = ascending[np.searchsorted(ascending, values) % len(ascending)] == values
    return found
