"""Files that pages need and that an archive lacks, so that a replay shows the pages incomplete."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Final

import numpy as np

from hinterland.library.audit.faults import Faults, grouped_causes
from hinterland.library.audit.kinds import Group, Need, Severity
from hinterland.library.audit.rule import Rule

if TYPE_CHECKING:
    from hinterland.library.audit.audited_store import AuditedStore

_MISSING: Final = """
SELECT number, url, kind, coalesce(outcome, 'still waiting'), status FROM requisite
WHERE outcome IS NULL OR outcome NOT IN ('fetched', 'redirected', 'page') ORDER BY number
"""


class MissingRequisite(Rule):
    """Finds the requisites of pages that `crawl --requisites` could not fetch."""

    name = "missing-requisite"
    title = "Pictures, styles, scripts and frames that the archive lacks"
    group = Group.ASSETS
    severity = Severity.WARNING
    why = "A replay shows the pages without them."
    mend = "Let another crawl with --resume and --requisites fetch what waits or failed; the site lacks the rest."
    needs = (Need.REQUISITES,)

    def faults(self, store: AuditedStore) -> Faults:
        """Return the missing files, each with the reason and the pages that need it.

        A page may need a file through style sheets and frames.
        """
        missing = list(store.rows(_MISSING))
        leading = _leading(store.rows("SELECT part, requisite FROM requisite_part"))
        of_file = dict[int, list[int]]()
        for place, (number, *_) in enumerate(missing):
            for each in _reached(number, leading):
                of_file.setdefault(each, []).append(place)
        places, pages = list[int](), list[int]()
        for page, number in store.rows("SELECT page, requisite FROM page_requisite"):
            places += (found := of_file.get(number, []))
            pages += [page] * len(found)
        causes = grouped_causes(len(missing), np.array(places, np.int32), np.array(pages, np.int32))
        notes = [
            f"{kind}: {f'status {status}' if outcome.endswith('_error') and status else outcome.replace('_', ' ')}"
            for _, _, kind, outcome, status in missing
        ]
        return Faults.elsewhere([url for _, url, *_ in missing], notes, causes)


def _leading(parts: Iterable[tuple[int, int]]) -> dict[int, list[int]]:
    """Return, by the number of each file, the style sheets, frames and redirects that lead to it."""
    found = dict[int, list[int]]()
    for part, requisite in parts:
        found.setdefault(part, []).append(requisite)
    return found


def _reached(number: int, leading: dict[int, list[int]]) -> set[int]:
    """Return a file and all files that lead to it, directly or through others, perhaps in a circle."""
    found, waiting = {number}, [number]
    while waiting:
        new = set(leading.get(waiting.pop(), ())) - found
        found |= new
        waiting += new
    return found
