"""URLs at which link checks have found faults, with the pages that load them or link to them. Pure."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

import numpy as np

from hinterland.analysis.graph import BoolArray
from hinterland.library.audit.checked import Said
from hinterland.library.audit.faults import Faults, grouped_causes
from hinterland.library.audit.rules.reasons import absent, reason, refused_to_say, unreachable

if TYPE_CHECKING:
    from hinterland.library.audit.audited_store import AuditedStore

Wrong = Callable[[Said], bool]


def loaded_faults(store: AuditedStore, kinds: tuple[str, ...], wrong: Wrong) -> Faults:
    """Return the faulty URLs of these kinds of resources. `wrong` decides from what is known about each URL."""
    said = _said(store, list(_loaded(store, kinds)))
    return faults_of_files(store, {url: each.reason for url, each in said.items() if wrong(each)})


def faults_of_files(store: AuditedStore, notes: Mapping[str, str]) -> Faults:
    """Return the URLs in `notes` as faults, each with its note and the pages that load it.

    Pages that load a URL through a style sheet are included.
    """
    refers = store.references
    place = {url: number for number, url in enumerate(refers.names)}
    urls = list(notes)
    roots = [place.get(_root(store, url), -1) for url in urls]
    of_root: dict[int, list[int]] = {}
    for fault, root in enumerate(roots):
        of_root.setdefault(root, []).append(fault)
    chosen = np.flatnonzero(np.isin(refers.urls, [root for root in roots if root >= 0]))
    pairs = [
        (fault, page)
        for page, url in zip(refers.pages[chosen].tolist(), refers.urls[chosen].tolist(), strict=True)
        for fault in of_root[url]
    ]
    faults, pages = (np.array([pair[side] for pair in pairs], np.int32) for side in (0, 1))
    return Faults.elsewhere(urls, list(notes.values()), grouped_causes(len(urls), faults, pages))


def _said(store: AuditedStore, urls: list[str]) -> dict[str, Said]:
    """Return what is known about URLs: from checks or, for pages of the crawl that were not checked, from visits."""
    found = {url: said for url in urls if (said := store.checks.said(url)) is not None}
    pages = store.numbers_of([url for url in urls if url not in found])
    kinds = absent(store), unreachable(store), refused_to_say(store) | store.pages.has_outcome("robots")
    for url, page in pages.items():
        if store.pages.outcomes[page] >= 0:
            is_absent, is_unreachable, is_unsaid = (bool(kind[page]) for kind in kinds)
            found[url] = Said(is_absent, is_unreachable, is_unsaid, reason(store, page))
    return found


def _loaded(store: AuditedStore, kinds: tuple[str, ...]) -> dict[str, None]:
    refers = store.references
    by_pages = np.unique(refers.urls[refers.is_of(*kinds)])
    by_sheets = [url for url, check in store.checks.of.items() if check.via and check.kind in kinds]
    return dict.fromkeys([*(refers.names[int(place)] for place in by_pages), *by_sheets])


def _root(store: AuditedStore, url: str) -> str:
    """Return the style sheet through which pages load a URL, or the URL itself if pages load it directly."""
    seen = set[str]()
    while url not in seen and (check := store.checks.of.get(url)) is not None and check.via:
        seen.add(url)
        url = check.via
    return url


def outside_faults(store: AuditedStore, wrong: Wrong, is_wrong_page: BoolArray) -> Faults:
    """Return the faulty pages of other hosts to which pages link.

    `is_wrong_page` decides about pages that the crawl visited, and `wrong` about pages that were only checked.
    """
    links, checks = store.outside_links, store.checks
    targets = np.unique(links.targets)
    visited = store.pages.outcomes >= 0
    urls = store.urls_of(targets)
    found, leading = dict[int, str](), dict[str, list[int]]()
    for page in targets.tolist():
        if visited[page]:
            if is_wrong_page[page]:
                found[page] = store.pages.outcome(page).replace("_", " ")
        elif (said := checks.said(urls[page])) is not None:
            if wrong(said):
                found[page] = said.reason
            elif said.leads_to:
                leading.setdefault(said.leads_to, []).append(page)
    for url, end in store.numbers_of(list(leading)).items():
        if visited[end] and is_wrong_page[end]:
            found |= dict.fromkeys(leading[url], f"redirects to {url}: {reason(store, end)}")
    pages = np.array(sorted(found), np.int32)
    return Faults.of(pages, [found[page] for page in pages.tolist()], links.causes_of(pages))


def unasked_outside(store: AuditedStore) -> int:
    """Return how many pages of other hosts are linked but were neither visited nor checked."""
    targets = np.unique(store.outside_links.targets)
    targets = targets[store.pages.outcomes[targets] < 0]
    urls = store.urls_of(targets)
    return sum(url not in store.checks.of or store.checks.of[url].outcome == "left_out" for url in urls.values())
