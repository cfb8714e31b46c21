"""Pages that browsers and crawlers must load again in full each time."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

from hinterland.library.audit.faults import Faults
from hinterland.library.audit.kinds import Group, Need, Severity
from hinterland.library.audit.rule import Rule

if TYPE_CHECKING:
    from hinterland.library.audit.audited_store import AuditedStore

_WITHOUT_VALIDATOR: Final = (
    "SELECT fetch.page FROM fetch JOIN page ON page.id = fetch.page"
    " WHERE outcome = 'fetched' AND page.is_local AND etag IS NULL AND last_modified IS NULL"
)
_LASTS: Final = re.compile(r"(?:^|[\s,])(?:s-max|max-)age\s*=\s*\"?0*[1-9]", re.IGNORECASE)


class CacheHeaders(Rule):
    """Finds pages that are marked no-store, or have neither a lifetime nor a validator (RFC 9111)."""

    name = "cache-headers"
    title = "Pages that browsers cannot keep"
    group = Group.SECURITY
    severity = Severity.NOTICE
    why = "Browsers and crawlers load the whole page again at every visit, although it is the same."
    mend = "Send ETag or Last-Modified, or Cache-Control with a max-age; no-store only for private pages."
    needs = (Need.FACTS,)

    def faults(self, store: AuditedStore) -> Faults:
        """Return the pages that browsers cannot keep, each with the reason."""
        without = {page for (page,) in store.rows(_WITHOUT_VALIDATOR)}
        found = [
            (page, note)
            for page, fields in store.page_facts.items()
            if (note := why_not_kept(fields, has_validator=page not in without))
        ]
        return Faults.of([page for page, _ in found], [note for _, note in found])


def why_not_kept(fields: Mapping[str, Any], *, has_validator: bool) -> str:
    """Return why browsers cannot keep a page with these header fields; "" if they can."""
    control = fields.get("cache_control", "")
    if "no-store" in control.lower():
        return f"Cache-Control: {control}"
    is_kept = has_validator or "expires" in fields or _LASTS.search(control) is not None
    return "" if is_kept else "no ETag, no Last-Modified, and no lifetime"
