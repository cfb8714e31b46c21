"""`crawl_coverage`: how complete a crawl is, and why it has not fetched further pages."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Final

from msgspec import Meta, Struct

from hinterland.crawler.loop.decisions.endings import IMPORTED, EndReason
from hinterland.library.text.reach_text import reach_lines
from hinterland.library.text.slowed_text import REASONS
from hinterland.library.text.status_text import STATE_MEANINGS
from hinterland.library.text.wording import counted
from hinterland.storage.reading.reader import StoreReader
from hinterland.storage.values.hosts import HostReport, SlowedReport
from hinterland.storage.values.pages import PAGE_STATES, FailureReport, PageCounts
from hinterland.storage.values.runs import RunReport, RunState, state_of
from hinterland.web.assistants.asked_stores import AskedStores
from hinterland.web.assistants.tool import Tool
from hinterland.web.assistants.values import Answer, Arguments, StoreName, utc

_MOST_SHOWN: Final = 10


class CoverageArguments(Arguments, frozen=True, kw_only=True):
    """Arguments of `crawl_coverage`."""

    store: StoreName = ""


class PagesInState(Struct, frozen=True, kw_only=True):
    """How many pages are in a state.

    Pages in scope belong to the crawled sites; other pages are only known because crawled pages link to them.
    """

    state: str
    meaning: str
    in_scope: int
    outside: int


class HostLeft(Struct, frozen=True, kw_only=True):
    """A host with waiting pages, or a host that was given up."""

    url: str
    pages_fetched: int
    waiting: int
    last_error: str


class FailedKind(Struct, frozen=True, kw_only=True):
    """Pages that failed or were refused in the same way; `retrying` is how many of them will be tried again."""

    outcome: str
    status: int | None
    pages: int
    retrying: int
    example: str
    detail: str


class EndlessSpace(Struct, frozen=True, kw_only=True):
    """URLs of one shape that seem to be endless.

    `left_waiting` is how many of them wait until all other URLs of their host were visited.
    """

    host: str
    shape: str
    why: str
    visits: int
    left_waiting: int


class Coverage(Answer, frozen=True, kw_only=True):
    """What a crawl has seen, and what it has not seen."""

    state: Annotated[str, Meta(description="running, ended, killed, starting, or empty if no crawl has begun")]
    ended_because: str
    started: str | None
    last_written: str | None
    is_complete: Annotated[bool, Meta(description="Whether every page within reach was visited.")]
    missing: Annotated[tuple[str, ...], Meta(description="What is missing and why, in sentences.")]
    page_budget: Annotated[int | None, Meta(description="Maximum number of pages of the last run; null without one.")]
    pages: tuple[PagesInState, ...]
    hosts_known: int
    hosts_visited: int
    hosts_given_up: int
    most_waiting: tuple[HostLeft, ...]
    given_up: tuple[HostLeft, ...]
    failures: tuple[FailedKind, ...]
    endless: tuple[EndlessSpace, ...]


def _answer(stores: AskedStores, asked: CoverageArguments) -> Coverage:
    home = stores.one(asked.store)
    with home.reading() as store:
        unreached = home.remembered(_unreached, lambda: _unreached(store))
        return _coverage(home.name, store, unreached)


def _unreached(store: StoreReader) -> Sequence[str]:
    """Return sentences about start pages that lead nowhere, and about pages that only nofollow links reach."""
    lines = reach_lines(store.reach.dead_starts(), store.reach.left_by_nofollow())
    return [line.strip() for line in lines if line.strip()]


def _coverage(name: str, store: StoreReader, unreached: Sequence[str]) -> Coverage:
    runs = store.runs.newest(1)
    run = runs[0] if runs else None
    counts, hosts = store.pages.counts(), store.hosts.report(store.hosts.waiting(), _MOST_SHOWN)
    slowed, state = store.hosts.slowed(), state_of(runs, store.holder)
    reason = run.reason if run is not None else None
    is_complete = state is RunState.ENDED and reason == EndReason.EXHAUSTED.label and not counts.of("waiting")
    return Coverage(
        store=name,
        state=str(state or ""),
        ended_because=_sentence(reason) if state is RunState.ENDED else "",
        started=utc(run.started_at) if run is not None else None,
        last_written=utc(store.last_written()),
        is_complete=is_complete,
        missing=(*_missing(run, state, counts, hosts.given_up), *unreached),
        page_budget=None if run is None else run.progress.get("max_pages"),
        pages=tuple(_in_state(counts, each) for each in PAGE_STATES),
        hosts_known=hosts.known,
        hosts_visited=hosts.visited,
        hosts_given_up=hosts.given_up,
        most_waiting=_left(hosts.by_waiting),
        given_up=_left(hosts.lost),
        failures=tuple(map(_failed, store.pages.failures()[:_MOST_SHOWN])),
        endless=tuple(map(_endless, slowed[:_MOST_SHOWN])),
    )


def _in_state(counts: PageCounts, state: str) -> PagesInState:
    meaning = STATE_MEANINGS.get(state, "")
    return PagesInState(state=state, meaning=meaning, in_scope=counts.local[state], outside=counts.outside[state])


def _failed(report: FailureReport) -> FailedKind:
    return FailedKind(
        outcome=report.outcome,
        status=report.status,
        pages=report.pages,
        retrying=report.retrying,
        example=report.example,
        detail=report.detail or "",
    )


def _endless(report: SlowedReport) -> EndlessSpace:
    return EndlessSpace(
        host=report.host,
        shape=report.shape,
        why=REASONS.get(report.suspicion, report.suspicion),
        visits=report.visits,
        left_waiting=report.left_waiting,
    )


def _missing(run: RunReport | None, state: RunState | None, counts: PageCounts, given_up: int) -> list[str]:
    if run is None:
        return ["No crawl has begun yet."]
    found = []
    if state is not RunState.ENDED:
        found.append("The crawl is running." if state is RunState.RUNNING else "The crawl was cut off before its end.")
    if waiting := counts.of("waiting"):
        found.append(f"{counted(waiting, 'page')} known but not fetched yet.")
    if failed := counts.of("failed"):
        found.append(f"{counted(failed, 'page')} could not be fetched.")
    if refused := counts.of("refused"):
        found.append(f"{counted(refused, 'page')} not requested: robots.txt forbids it, or the address is private.")
    if given_up:
        found.append(f"{counted(given_up, 'host')} given up after repeated failures.")
    return found


def _sentence(label: str | None) -> str:
    sentences: Mapping[str, str] = {reason.label: reason.sentence for reason in EndReason} | dict([IMPORTED])
    return sentences.get(label or "", "for an unknown reason")


def _left(hosts: Sequence[HostReport]) -> tuple[HostLeft, ...]:
    return tuple(
        HostLeft(url=each.url, pages_fetched=each.pages_fetched, waiting=each.waiting, last_error=each.last_error or "")
        for each in hosts
    )


CRAWL_COVERAGE: Final = Tool(
    title="What the crawl has not seen",
    description="Say how complete a crawl is: pages fetched, waiting, failed and refused, its budget, hosts given up,"
    " endless URL spaces, pages left out by nofollow. Ask this before you say that something is not there.",
    arguments=CoverageArguments,
    answers=Coverage,
    answer=_answer,
)
