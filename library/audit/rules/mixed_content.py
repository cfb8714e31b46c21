"""Encrypted pages that load something unencrypted."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from hinterland.library.audit.faults import Faults
from hinterland.library.audit.kinds import Group, Need, Severity
from hinterland.library.audit.rule import Rule

if TYPE_CHECKING:
    from hinterland.library.audit.audited_store import AuditedStore


class MixedContent(Rule):
    """Finds https pages that refer to images, styles or scripts by http."""

    name = "mixed-content"
    title = "Pages by https that load something by http"
    group = Group.SECURITY
    severity = Severity.ERROR
    why = "Browsers block it, or mark the page as insecure."
    mend = "Load it by https."
    needs = (Need.FACTS,)

    def faults(self, store: AuditedStore) -> Faults:
        """Return the https pages that load something by http, each with the first such URL."""
        refers = store.references
        insecure = np.array([url.startswith("http://") for url in refers.names], np.bool_)
        chosen = insecure[refers.urls] if len(refers.urls) else np.empty(0, np.bool_)
        pages, first = np.unique(refers.pages[chosen], return_index=True)
        places = np.flatnonzero(chosen)[first]
        urls = store.urls_of(pages)
        found = [
            (page, place) for page, place in zip(pages.tolist(), places.tolist(), strict=True) if _is_secure(urls[page])
        ]
        return Faults.of([page for page, _ in found], [refers.names[int(refers.urls[place])] for _, place in found])


def _is_secure(url: str) -> bool:
    return url.startswith("https://")
