"""What was refused and what failed, by kind, with an example of each. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from crawler.cli.wording import number, printable, shortened, table
from crawler.outcomes import OutcomeKind
from storage.report_records import FailureReport

_REFUSALS = (OutcomeKind.ROBOTS, OutcomeKind.FORBIDDEN_ADDRESS)  # no request was made
_MAX_URL = 90
_MAX_DETAIL = 60


def failure_lines(failures: Sequence[FailureReport]) -> Iterator[str]:
    """A table of the refusals and one of the failures, each under a blank line and a title; none if empty."""
    refused = [each for each in failures if each.outcome in _REFUSALS]
    failed = [each for each in failures if each.outcome not in _REFUSALS]
    yield from _section("Refused, with an example of each kind", refused)
    yield from _section("Failed or to be tried again, with an example of each kind", failed)


def _section(title: str, failures: Sequence[FailureReport]) -> Iterator[str]:
    if failures:
        yield ""
        yield title
        yield from table((_row(each) for each in failures), right=(1,))


def _row(failure: FailureReport) -> tuple[str, str, str]:
    detail = failure.detail or ("" if failure.status is None else f"status {failure.status}")
    what = printable(failure.example)
    if detail:
        what = f"{shortened(what, _MAX_URL)}  ({shortened(printable(detail), _MAX_DETAIL)})"
    return failure.outcome, number(failure.pages), what
