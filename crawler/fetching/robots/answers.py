"""Interprets the response to a request for robots.txt (RFC 9309, section 2.3.1). Pure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from hinterland.crawler.fetching.answers import Answer, NoAnswer
from hinterland.crawler.fetching.decoding import ContentDecodingError, decode_content
from hinterland.crawler.fetching.gated_answers import gate_of
from hinterland.crawler.fetching.outcomes import OutcomeKind
from hinterland.crawler.fetching.robots.rules import MAX_BYTES, RobotsAvailability, availability
from hinterland.crawler.fetching.verdicts import REDIRECTS
from hinterland.crawler.urls.canonical import Canonicaliser

MAX_REDIRECTS: Final = 5
"""Maximum number of redirects to follow; section 2.3.1.2 asks for at least five."""


@dataclass(frozen=True, slots=True)
class RobotsFile:
    """The contents of a robots.txt; None if it is certain that the host has no such file."""

    text: bytes | None


@dataclass(frozen=True, slots=True)
class RobotsUnread:
    """Why robots.txt could not be read: the kind of the failure and its description.

    As long as the rules are unknown, nothing is fetched.
    """

    kind: OutcomeKind
    detail: str


def moved_to(answer: Answer | NoAnswer, url: str, canonicaliser: Canonicaliser, *, redirects: int) -> str | None:
    """Return the canonical URL to which an answer redirects the robots.txt; None if the answer must be used as it is.

    The answer must be used if it does not redirect to a usable URL, or if there were too many `redirects` before it.
    """
    if not isinstance(answer, Answer) or answer.status not in REDIRECTS or redirects >= MAX_REDIRECTS:
        return None
    if gate_of(answer) is not None:
        return None
    return canonicaliser.canonical(answer.location or "", url)


def read_robots(
    answer: Answer | NoAnswer, *, max_decoded_bytes: int, max_bytes: int = MAX_BYTES
) -> RobotsFile | RobotsUnread:
    """Return the file in an answer, cut to `max_bytes`, or why it could not be read.

    A compressed file that decodes to more than `max_decoded_bytes` counts as corrupt.
    """
    if isinstance(answer, NoAnswer):
        return RobotsUnread(answer.kind, f"{answer.kind}: {answer.detail}")
    if (gate := gate_of(answer)) is not None:
        return RobotsUnread(OutcomeKind.CHALLENGED, gate.in_words(answer.status))
    match availability(answer.status):
        case RobotsAvailability.UNREACHABLE:
            kind = OutcomeKind.THROTTLED if answer.status == 429 else OutcomeKind.UNAVAILABLE
            return RobotsUnread(kind, f"status {answer.status}")
        case RobotsAvailability.UNAVAILABLE:
            return RobotsFile(None)
    try:
        text = decode_content(answer.body, answer.content_encoding, max(max_decoded_bytes, max_bytes))
    except ContentDecodingError as error:
        return RobotsUnread(OutcomeKind.CORRUPT, str(error))
    return RobotsFile(text[:max_bytes])
