"""Why the target of a link cannot be read: it is absent, or unreachable, or the crawler was refused. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from hinterland.analysis.graph import BoolArray
from hinterland.library.audit.audited_store import is_absent
from hinterland.library.audit.faults import NO_FAULTS, Faults, grouped_causes
from hinterland.library.audit.kinds import UNCHECKED_STATUSES

if TYPE_CHECKING:
    from hinterland.library.audit.audited_store import AuditedStore

_UNREACHED: Final = (
    *("server_error", "unavailable", "unexpected_status", "dns_failure", "connect_failure", "connect_timeout"),
    *("tls_failure", "first_byte_timeout", "body_timeout", "slow_body", "disconnected", "bad_response", "truncated"),
)


def absent(store: AuditedStore) -> BoolArray:
    """Return which pages do not exist according to their server, shape (n,)."""
    return is_absent(store.pages) & store.pages.is_state("failed") & ~store.pages.has_outcome("too_many_redirects")


def unreachable(store: AuditedStore) -> BoolArray:
    """Return which pages gave no answer, or a server error, at their last visit; shape (n,)."""
    return store.pages.has_outcome(*_UNREACHED) & store.pages.is_state("failed")


def refused_to_say(store: AuditedStore) -> BoolArray:
    """Return which pages refused the crawler, so that nobody knows whether they exist; shape (n,)."""
    pages = store.pages
    refused = pages.has_outcome("client_error") & np.isin(pages.statuses, UNCHECKED_STATUSES)
    return (refused | pages.has_outcome("challenged", "throttled")) & pages.is_state("failed")


def linked_faults(store: AuditedStore, is_faulty: BoolArray) -> Faults:
    """Return the faulty pages to which local pages link, directly or by redirects.

    The linking pages are the causes of the faults.
    """
    links, ends = store.followed, store.chains.ends
    ended = ends[links.targets]
    leads = (ended >= 0) & is_faulty[np.maximum(ended, 0)] & (ended != links.sources)
    if not leads.any():
        return NO_FAULTS
    pages, places = np.unique(ended[leads], return_inverse=True)
    causes = grouped_causes(len(pages), places.astype(np.int32), links.sources[leads])
    return Faults.of(pages, [reason(store, page) for page in pages.tolist()], causes)


def reason(store: AuditedStore, page: int) -> str:
    """Return why a page cannot be read: "status 404", "dns failure"."""
    status, outcome = int(store.pages.statuses[page]), store.pages.outcome(page)
    if outcome in ("client_error", "server_error", "unavailable", "unexpected_status", "throttled"):
        return f"status {status}"
    return outcome.replace("_", " ")
