"""Hosts whose certificate is about to expire."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Final

import numpy as np

from hinterland.library.audit.faults import Faults, grouped_causes
from hinterland.library.audit.kinds import Group, Need, Severity
from hinterland.library.audit.rule import Rule
from hinterland.storage.values.times import DAY

if TYPE_CHECKING:
    from hinterland.library.audit.audited_store import AuditedStore

_MOST: Final = 14 * DAY
_PART: Final = 4
"""Short-lived certificates are renewed with days left: they are late when one such part of their lifetime is left."""


class CertificateEnds(Rule):
    """Finds hosts whose certificate should have been renewed: it has expired, or expires within 14 days."""

    name = "certificate-ends"
    title = "Hosts whose certificate expires within 14 days"
    group = Group.SECURITY
    severity = Severity.WARNING
    why = "Certificates are usually renewed earlier; once it has expired, browsers show a warning instead of the site."
    mend = "Renew it, and find out why that was not done automatically."
    needs = (Need.FACTS,)

    def faults(self, store: AuditedStore) -> Faults:
        """Return the hosts with such a certificate, each with its expiry time and the pages that were read by https."""
        latest: dict[int, tuple[int, int]] = {}
        pages: dict[int, list[int]] = {}
        for page, fields in store.page_facts.items():
            if (until := fields.get("certificate_until")) is not None:
                host = int(store.pages.hosts[page])
                latest[host] = max(latest.get(host, (0, 0)), (until, fields["certificate_since"]))
                pages.setdefault(host, []).append(page)
        late = [
            host for host, (until, since) in latest.items() if until - store.now < min(_MOST, (until - since) / _PART)
        ]
        places = np.repeat(np.arange(len(late), dtype=np.int32), [len(pages[host]) for host in late])
        sources = np.array([page for host in late for page in pages[host]], np.int32)
        return Faults.elsewhere(
            [store.host_urls[host] for host in late],
            [f"until {datetime.fromtimestamp(latest[host][0], UTC):%Y-%m-%d %H:%M} UTC" for host in late],
            grouped_causes(len(late), places, sources),
        )
