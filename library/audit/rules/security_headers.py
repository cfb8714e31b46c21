"""Hosts whose pages lack header fields that protect visitors."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from hinterland.library.audit.faults import Faults, grouped_causes
from hinterland.library.audit.kinds import Group, Need, Severity
from hinterland.library.audit.rule import Rule

if TYPE_CHECKING:
    from hinterland.library.audit.audited_store import AuditedStore


class SecurityHeaders(Rule):
    """Finds hosts with pages that lack header fields by which browsers protect visitors."""

    name = "security-headers"
    title = "Hosts with pages that lack security header fields"
    group = Group.SECURITY
    severity = Severity.NOTICE
    why = "Browsers then allow more than they should: framing by other sites, guessed types, unencrypted visits."
    mend = "Let the server send the fields for all pages."
    needs = (Need.FACTS,)

    def faults(self, store: AuditedStore) -> Faults:
        """Return the hosts that lack protective header fields, with these fields and how many pages lack each."""
        lacking: dict[int, Counter[str]] = {}
        totals, pages = Counter[int](), list[tuple[int, int]]()
        for page, fields in store.page_facts.items():
            host = int(store.pages.hosts[page])
            totals[host] += 1
            missing = _missing(fields, store.host_urls[host])
            lacking.setdefault(host, Counter()).update(missing)
            if missing:
                pages.append((host, page))
        hosts = [host for host, counts in lacking.items() if counts]
        notes = [
            ", ".join(f"{name} on {count} of {totals[host]}" for name, count in lacking[host].most_common())
            for host in hosts
        ]
        place = {host: number for number, host in enumerate(hosts)}
        causes = grouped_causes(
            len(hosts),
            np.array([place[host] for host, _ in pages], np.int32),
            np.array([page for _, page in pages], np.int32),
        )
        return Faults.elsewhere([store.host_urls[host] for host in hosts], notes, causes)


def _missing(fields: Mapping[str, Any], host: str) -> list[str]:
    csp = fields.get("csp", "")
    missing = [
        ("Strict-Transport-Security", host.startswith("https://") and "hsts" not in fields),
        ("X-Content-Type-Options", fields.get("content_type_options", "").strip().lower() != "nosniff"),
        ("Content-Security-Policy", not csp),
        ("X-Frame-Options or frame-ancestors", "frame_options" not in fields and "frame-ancestors" not in csp),
    ]
    return [name for name, is_missing in missing if is_missing]
