"""Links by http to pages that are served by https."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from hinterland.library.audit.faults import Faults
from hinterland.library.audit.kinds import Group, Loss, Severity
from hinterland.library.audit.rule import Rule

if TYPE_CHECKING:
    from hinterland.library.audit.audited_store import AuditedStore


class InsecureLink(Rule):
    """Finds http URLs that are linked, and redirect to the same URL with https."""

    name = "insecure-link"
    title = "Links by http to pages that are served by https"
    group = Group.REDIRECTS
    severity = Severity.WARNING
    why = "The first request is not encrypted, and costs a redirect."
    mend = "Link to the address with https."
    loss = Loss.FLOW

    def faults(self, store: AuditedStore) -> Faults:
        """Return the http URLs, each with the pages that link to it."""
        targets = store.pages.targets
        moved = np.flatnonzero(store.pages.is_local & (targets >= 0) & store.is_linked).astype(np.int32)
        urls = store.urls_of([*moved.tolist(), *targets[moved].tolist()])
        found = [page for page in moved.tolist() if _is_upgrade(urls[page], urls[int(targets[page])])]
        pages = np.array(found, np.int32)
        return Faults.of(pages, (), store.linking(pages))


def _is_upgrade(url: str, target: str) -> bool:
    return url.startswith("http://") and target == f"https://{url.removeprefix('http://')}"
