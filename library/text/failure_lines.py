"""Refusals and failures by kind, each with an example. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from hinterland.crawler.fetching.outcomes import OutcomeKind
from hinterland.library.text.wording import number, printable, table
from hinterland.storage.values.pages import FailureReport

_REFUSALS = (OutcomeKind.ROBOTS, OutcomeKind.FORBIDDEN_ADDRESS)  # no request was made
_WIDE = 100
"""If a line with its reason would be longer than this, the reason has a line of its own. It is never cut."""


def failure_lines(failures: Sequence[FailureReport]) -> Iterator[str]:
    """Yield a table of refusals and a table of failures, each under a blank line and a title; no empty tables."""
    refused = [each for each in failures if each.outcome in _REFUSALS]
    failed = [each for each in failures if each.outcome not in _REFUSALS]
    yield from _section("Refused, with one example each", refused)
    yield from _section("Errors, with one example each (some will be retried)", failed)


def _section(title: str, failures: Sequence[FailureReport]) -> Iterator[str]:
    if failures:
        yield ""
        yield title
        lines = table([(each.outcome, number(each.pages), printable(each.example)) for each in failures], right=(1,))
        for line, failure in zip(lines, failures, strict=True):
            status = "" if failure.status is None else f"status {failure.status}"
            yield from with_reason(line, failure.detail or status)


def with_reason(line: str, reason: str) -> Iterator[str]:
    """Yield a line and its whole reason in brackets. If both are too long for one line, the reason is on the next."""
    shown = f"({printable(reason)})"
    if not reason:
        yield line
    elif len(line) + len(shown) + 2 <= _WIDE:
        yield f"{line}  {shown}"
    else:
        yield from (line, f"      {shown}")
