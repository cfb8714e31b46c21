"""Files that browsers must load again in full with each page."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import msgspec

from hinterland.library.audit.faults import Faults
from hinterland.library.audit.kinds import Group, Need, Severity
from hinterland.library.audit.rule import Rule
from hinterland.library.audit.rules.cache_headers import why_not_kept
from hinterland.library.audit.rules.checked_faults import faults_of_files
from hinterland.library.text.wording import counted

if TYPE_CHECKING:
    from hinterland.library.audit.audited_store import AuditedStore

_THERE: Final = "FROM link_check WHERE kind <> 'page' AND outcome = 'fetched' AND fields IS"


class AssetCacheHeaders(Rule):
    """Finds images, styles, scripts and fonts that are marked no-store, or have neither a lifetime nor a validator."""

    name = "asset-cache-headers"
    title = "Images, styles and scripts that browsers cannot keep"
    group = Group.SECURITY
    severity = Severity.NOTICE
    why = "Browsers load them again with every page that a visitor opens."
    mend = "Send ETag or Last-Modified, or Cache-Control with a max-age; no-store only for what is private."
    needs = (Need.FACTS, Need.CHECKS)

    def faults(self, store: AuditedStore) -> Faults:
        """Return the files that browsers cannot keep, each with the reason and the pages that load it."""
        decode = msgspec.json.Decoder(dict[str, str]).decode
        notes = dict[str, str]()
        for url, text in store.rows(f"SELECT url, fields {_THERE} NOT NULL"):
            fields = decode(text)
            if note := why_not_kept(fields, has_validator="etag" in fields or "last_modified" in fields):
                notes[url] = note
        return faults_of_files(store, notes)

    def caveat(self, store: AuditedStore) -> str:
        """Return how many files were checked by an earlier version, which did not keep header fields."""
        [(count,)] = store.rows(f"SELECT count(*) {_THERE} NULL")
        return f"the header fields of {counted(count, 'file is', 'files are')} not known" if count else ""
