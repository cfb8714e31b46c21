"""Images that are very large."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from hinterland.library.audit.faults import Faults
from hinterland.library.audit.kinds import Group, Need, Severity
from hinterland.library.audit.rule import Rule
from hinterland.library.audit.rules.checked_faults import faults_of_files
from hinterland.library.text.wording import counted, size

if TYPE_CHECKING:
    from hinterland.library.audit.audited_store import AuditedStore

_MOST_BYTES: Final = 500_000


class HeavyImage(Rule):
    """Finds images that are large, by the size that their server states."""

    name = "heavy-image"
    title = "Images of more than 500 KB"
    group = Group.ASSETS
    severity = Severity.WARNING
    why = "They take long on a slow line, and most are displayed far smaller than they are stored."
    mend = "Scale them to the size at which they are shown, and use WebP or AVIF."
    needs = (Need.FACTS, Need.CHECKS)

    def faults(self, store: AuditedStore) -> Faults:
        """Return the large images, each with its size and the pages that show it."""
        sizes = {url: check.size or 0 for url, check in store.checks.of.items() if check.kind in ("image", "icon")}
        return faults_of_files(store, {url: size(count) for url, count in sizes.items() if count > _MOST_BYTES})

    def caveat(self, store: AuditedStore) -> str:
        """Return how many images have no known size: the crawl visited them as pages, because pages link to them."""
        refers = store.references
        shown = [refers.names[int(place)] for place in np.unique(refers.urls[refers.is_of("image")])]
        unchecked = store.numbers_of([name for name in shown if name not in store.checks.of])
        count = sum(bool(store.pages.outcomes[page] >= 0) for page in unchecked.values())
        return f"of {counted(count, 'image')} that pages link to, too, the size is not known" if count else ""
