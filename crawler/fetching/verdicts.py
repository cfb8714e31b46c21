"""Interprets the answer to the request for a page. Pure."""

from __future__ import annotations

from dataclasses import dataclass

from hinterland.crawler.fetching.answers import Answer, NoAnswer
from hinterland.crawler.fetching.gated_answers import gate_of
from hinterland.crawler.fetching.outcomes import OutcomeKind
from hinterland.crawler.fetching.validators import Validators
from hinterland.crawler.urls.canonical import Canonicaliser

TO_ITSELF = "to itself"
REDIRECTS = frozenset({301, 302, 303, 307, 308})


@dataclass(frozen=True, slots=True)
class Verdict:
    """The outcome of a request.

    If the kind is FETCHED, the body is a page to parse. If `is_same`, the stored version is still current, and there
    may be no body. If the kind is REDIRECTED, `target` is the canonical URL to which the redirect leads.
    """

    kind: OutcomeKind
    detail: str = ""
    status: int | None = None
    target: str | None = None
    is_same: bool = False


def judge(
    answer: Answer | NoAnswer, url: str, canonicaliser: Canonicaliser, validators: Validators | None = None
) -> Verdict:
    """Return the verdict on the answer to a request for `url`.

    `validators` belong to the stored version, None if there is none. If there is one, a 304 means that it is current,
    even if the request was not conditional.
    """
    if isinstance(answer, NoAnswer):
        return Verdict(answer.kind, answer.detail, answer.status)
    status = answer.status
    if validators is not None and (status == 304 or (status == 200 and validators.stand_in(answer.etag))):
        return Verdict(OutcomeKind.FETCHED, "", status, is_same=True)
    if (gate := gate_of(answer)) is not None:
        return Verdict(OutcomeKind.CHALLENGED, gate.in_words(status), status)
    if 200 <= status < 300:
        if answer.was_skipped:
            return Verdict(OutcomeKind.OTHER_TYPE, answer.content_type or "", status)
        return Verdict(OutcomeKind.FETCHED, "", status)
    if status in REDIRECTS:
        return _judge_redirect(answer, url, canonicaliser)
    if status == 429 or (status == 503 and answer.retry_after is not None):
        return Verdict(OutcomeKind.THROTTLED, f"status {status}", status)
    if status in (502, 503, 504):
        return Verdict(OutcomeKind.UNAVAILABLE, f"status {status}", status)
    if 400 <= status < 500:
        return Verdict(OutcomeKind.CLIENT_ERROR, f"status {status}", status)
    if 500 <= status < 600:
        return Verdict(OutcomeKind.SERVER_ERROR, f"status {status}", status)
    return Verdict(OutcomeKind.UNEXPECTED_STATUS, f"status {status}", status)


def _judge_redirect(answer: Answer, url: str, canonicaliser: Canonicaliser) -> Verdict:
    location = answer.location
    if location is None:
        return Verdict(OutcomeKind.BAD_REDIRECT, "no Location", answer.status)
    target = canonicaliser.canonical(location, url)
    if target is None:
        return Verdict(OutcomeKind.BAD_REDIRECT, f"to {location[:200]!r}", answer.status)
    if target == url:
        return Verdict(OutcomeKind.BAD_REDIRECT, f"{TO_ITSELF}, by {location[:200]!r}", answer.status)
    return Verdict(OutcomeKind.REDIRECTED, "", answer.status, target)
