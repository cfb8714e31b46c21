"""Finds linked pages that redirect with certain statuses. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from hinterland.analysis.graph import BoolArray
from hinterland.library.audit.faults import Faults

if TYPE_CHECKING:
    from hinterland.library.audit.audited_store import AuditedStore


def redirect_faults(store: AuditedStore, statuses: Sequence[int]) -> Faults:
    """Return the linked local pages that redirect with one of these statuses, each with the pages that link to it."""
    return moved_faults(store, np.isin(store.pages.statuses, statuses))


def moved_faults(store: AuditedStore, chosen: BoolArray) -> Faults:
    """Return the linked local pages that redirect and are chosen, with the pages that link to them.

    `chosen` has shape (n,).
    """
    pages = store.pages
    moved = pages.is_local & (pages.targets >= 0) & store.is_linked & chosen
    found = np.flatnonzero(moved).astype(np.int32)
    urls = store.urls_of(pages.targets[found])
    notes = [f"{pages.statuses[page]} to {urls[int(pages.targets[page])]}" for page in found.tolist()]
    return Faults.of(found, notes, store.linking(found))
