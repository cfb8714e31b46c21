"""Compares the faults of an audit with the faults of an earlier audit. Pure."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

import msgspec
import numpy as np

from hinterland.analysis.graph import BoolArray
from hinterland.library.audit.finding import Comparison
from hinterland.library.audit.fingerprints import SIZE, Prints

FORMAT: Final = "hinterland audit 1"
"""Identifies the JSON report and its version."""
_EXAMPLES: Final = 5


class NotAReport(Exception):
    """Raised if a file is not a JSON report of an audit; the message says why."""


@dataclass(frozen=True, slots=True, eq=False)
class EarlierAudit:
    """What an earlier audit found.

    `prints` maps each rule to the fingerprints of its faults. `at` is the time of the audit in epoch seconds.
    """

    at: float
    prints: Mapping[str, Prints]


def earlier_audit(report: bytes) -> EarlierAudit:
    """Read the JSON report of an earlier audit. Raises NotAReport."""
    try:
        told: Any = msgspec.json.decode(report)
        if not isinstance(told, dict) or told.get("format") != FORMAT:
            raise NotAReport(f'it has no "format": "{FORMAT}"')
        prints = {
            str(each["rule"]): np.frombuffer(base64.b64decode(each["fingerprints"], validate=True), np.uint64)
            for each in told["findings"]
            if "fingerprints" in each
        }
        return EarlierAudit(float(told["at_epoch_seconds"]), prints)
    except (msgspec.DecodeError, KeyError, TypeError, ValueError, binascii.Error) as error:
        raise NotAReport(str(error) or type(error).__name__) from error


@dataclass(frozen=True, slots=True, eq=False)
class PagesSeen:
    """The fingerprints of all pages of the audited store, ascending, and which of the pages were examined.

    `is_whole` means that the crawl is complete, so a page that the store does not know no longer exists. `url_of`
    returns the URL of the page at an index.
    """

    prints: Prints
    is_seen: BoolArray
    url_of: Callable[[int], str]
    is_whole: bool


def compared(before: Prints, now: Prints, seen: PagesSeen, *, is_said: bool) -> tuple[Comparison, BoolArray]:
    """Compare k faults with the faults of an earlier audit. Also return which faults are new, shape (k,).

    `is_said` tells whether the rule could be judged in the present audit.
    """
    is_new = ~np.isin(now, before)
    gone = np.setdiff1d(before, now)
    places = np.searchsorted(seen.prints, gone)
    known = places < len(seen.prints)
    known[known] = seen.prints[places[known]] == gone[known]
    looked_at = np.full(len(gone), seen.is_whole)
    looked_at[known] = seen.is_seen[places[known]]
    is_mended = looked_at & is_said
    named = places[is_mended & known][:_EXAMPLES].tolist()
    comparison = Comparison(
        new=int(is_new.sum()),
        still=int((~is_new).sum()),
        mended=int(is_mended.sum()),
        unseen=int((~is_mended).sum()),
        mended_examples=[seen.url_of(place) for place in named],
    )
    return comparison, is_new


def packed(prints: Prints) -> str:
    """Return fingerprints as a report contains them: SIZE bytes for each, together in base64."""
    assert prints.itemsize == SIZE
    return base64.b64encode(np.sort(prints).tobytes()).decode()
