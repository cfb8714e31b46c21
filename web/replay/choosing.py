"""Chooses the capture of a URL that is shown for a given time.

Captures under http and https, and with and without "www.", are captures of one page. Many sites redirect from one of
these to the other. Instead of such a redirect, the capture to which it leads is shown; both often have the same time.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from hinterland.crawler.urls.canonical import Canonicaliser
from hinterland.storage.warc.capture_index import (
    ArchivedAnswer,
    CapturedVersion,
    CaptureIndex,
    CaptureMissing,
    seconds_of,
)
from hinterland.storage.warc.surt import surt

_REDIRECTS: Final = frozenset({301, 302, 303, 307, 308})
_MOST_SKIPPED: Final = 20


@dataclass(frozen=True, slots=True)
class ChosenCapture:
    """A capture with the answer of the server.

    `answer` is None if it cannot be read; `problem` then says why. `target` is the canonical URL to which the answer
    redirects; None if it does not redirect, or not to the web.
    """

    version: CapturedVersion
    answer: ArchivedAnswer | None
    target: str | None = None
    problem: str = ""

    @property
    def is_redirect(self) -> bool:
        """Whether the answer is a redirect."""
        return self.answer is not None and self.answer.status in _REDIRECTS and bool(self.answer.location)

    @property
    def leads_to_itself(self) -> bool:
        """Whether the capture redirects to another spelling of its own URL, perhaps with another scheme."""
        return self.is_redirect and self.target is not None and is_same_page(self.target, self.version.url)


def is_same_page(one: str, other: str) -> bool:
    """Return whether captures of two URLs are captures of one page."""
    return surt(one) == surt(other)


def nearest(versions: list[CapturedVersion], moment: str) -> CapturedVersion | None:
    """Return the version that is nearest to a time of up to 14 digits; None if there is no version."""
    at = seconds_of(moment)
    return min(versions, key=lambda version: abs(version.seconds - at), default=None)


def chosen(index: CaptureIndex, url: str, moment: str, max_bytes: int) -> ChosenCapture | None:
    """Return the capture that is nearest to a time of up to 14 digits; None if there is no capture.

    If there are other captures, redirects to another spelling of the same URL are skipped. Raises OSError.
    """
    versions, found = index.versions(url), None
    for _ in range(_MOST_SKIPPED):
        version = nearest(versions, moment)
        if version is None:
            break
        found = _read(index, version, max_bytes)
        if not found.leads_to_itself:
            break
        versions.remove(version)
    return found


def _read(index: CaptureIndex, version: CapturedVersion, max_bytes: int) -> ChosenCapture:
    try:
        answer = index.read(version, max_bytes)
    except CaptureMissing as error:
        return ChosenCapture(version, None, problem=str(error))
    target = Canonicaliser().canonical(answer.location, version.url) if answer.status in _REDIRECTS else None
    return ChosenCapture(version, answer, target)
