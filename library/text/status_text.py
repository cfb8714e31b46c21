"""The state of a crawl in words. Pure: what the store says and the time are passed in."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from hinterland.crawler.features.outside.statistics import HinterlandStatistics
from hinterland.crawler.features.topics.harvest import HarvestStatistics
from hinterland.crawler.loop.decisions.endings import IMPORTED, EndReason
from hinterland.distribution.installation import PROGRAM
from hinterland.library.text.accuracy_text import accuracy_lines, accuracy_of
from hinterland.library.text.failure_lines import with_reason
from hinterland.library.text.limits_text import limits_of, mostly_line, names_line, told_now
from hinterland.library.text.wording import (
    compiling_line,
    counted,
    cut_line,
    duration,
    harvest_line,
    hinterland_line,
    moment,
    number,
    printable,
    rate,
    revisits_line,
    shell_file,
    shortened,
    size,
    table,
)
from hinterland.storage.values.history import Freshness
from hinterland.storage.values.hosts import HostReport, HostsReport
from hinterland.storage.values.pages import PAGE_STATES, PageCounts
from hinterland.storage.values.runs import RunReport, RunState, state_of
from hinterland.storage.values.times import DAY

if TYPE_CHECKING:
    from hinterland.crawler.features.recrawl.revisit_statistics import FreshnessOutlook, RevisitStatistics

_SILENT_SECONDS = 60.0
_SLACK_SECONDS = 60.0
_MAX_COMMAND = 60
STATE_MEANINGS = {
    "fetched": "HTML pages, plus other files that are recorded but not parsed",
    "waiting": "to be fetched",
    "failed": "gave up after the allowed retries",
    "refused": "not requested: blocked by robots.txt, or a private address",
    "known": "not to be fetched: outside, too deep or nofollow",
}
"""The meanings of the states of pages in words; states whose names explain themselves are left out."""


def head(
    name: str,
    size_bytes: int,
    written_at: float,
    runs: Sequence[RunReport],
    process: int | None,
    now: float,
    freshness: Freshness | None = None,
) -> str:
    """Return the first lines of the report.

    They name the store, and say whether a crawl is running, how fast it is, and how fresh the pages are.
    """
    lines = [f"{name}: {size(size_bytes)}, last written {_ago(written_at, now)}"]
    if state_of(runs, process) is RunState.STARTING:
        other = ", or another command is writing" if runs else ""
        lines.append(f"A crawl is starting{other}; process {process} holds the store and has begun no run yet.")
    elif not runs:
        lines.append("No crawl has begun yet.")
    if not runs:
        return "\n".join(lines)
    run = runs[0]
    match run.state:
        case RunState.RUNNING:
            lines.append(
                f"A crawl is running (process {process}) since {moment(run.started_at)},"
                f" {duration(now - run.started_at)}; its counters are {_age(run, now)}."
            )
            if now - run.updated_at > _SILENT_SECONDS:
                lines.append("That is long ago: the crawl may be tidying up a large store, or hang.")
        case RunState.KILLED:
            from hinterland.library.text.next_commands import given_again, is_recrawling  # which take 15 ms to import

            lines.append(f"The last crawl was killed at about {moment(run.updated_at)}; what it had fetched is safe.")
            if is_recrawling(run.command):
                lines[-1] += f" To revisit its pages:\n  {given_again(run.command)}"
            else:
                lines[-1] += f" To resume it:\n  {PROGRAM} crawl --resume --store {shell_file(name)}"
        case RunState.ENDED:
            lines.append(f"The last crawl ended {_ago(run.updated_at, now)}: {_why(run.reason)}")
    lines += _rates(run)
    if freshness is not None:
        lines.append(_freshness_line(freshness, now))
    if (outlook := (run.progress.get("revisits") or {}).get("outlook")) is not None:
        from hinterland.crawler.features.recrawl.revisit_statistics import FreshnessOutlook  # brings numpy

        lines.append(_outlook_line(FreshnessOutlook(**outlook)))
    return "\n".join(lines)


def _freshness_line(freshness: Freshness, now: float) -> str:
    oldest = f"the oldest check was {duration(now - freshness.oldest_at)} ago"
    if freshness.current is None:
        return f"Of {counted(freshness.pages, 'page')} {oldest}."
    new = freshness.pages - freshness.learnt
    unknown = f" (nothing is known yet about {number(new)} more)" if new else ""
    by_weight = f"{freshness.current:.0%} of {counted(freshness.learnt, 'page')} by weight"
    return f"Fresh: {by_weight} are probably current{unknown}; {oldest}."


def _outlook_line(outlook: FreshnessOutlook) -> str:
    budget = "As many visits as the hosts allow" if outlook.budget is None else f"{number(outlook.budget)} visits a day"
    behind = duration(outlook.age * DAY)
    current = f"{budget} would keep {outlook.expected:.0%} by weight current in the long run"
    return f"{current}; copies would be {behind} out of date on average."


def _why(label: str | None) -> str:
    sentences = {reason.label: reason.sentence for reason in EndReason} | dict([IMPORTED])
    return f"{sentences.get(label or '', 'for an unknown reason')}. ({label})"


def _age(run: RunReport, now: float) -> str:
    return f"{duration(now - run.updated_at)} old"


def _ago(then: float, now: float) -> str:
    if then > now + _SLACK_SECONDS:
        return f"at {moment(then)} by a clock that was ahead of this one"
    return f"{duration(now - then)} ago"


def _rates(run: RunReport) -> Iterator[str]:
    progress = run.progress
    if not progress:
        return
    seconds = progress["seconds"]
    fetched, visits = progress["pages_fetched"], progress["visits"]
    pace = fetched / seconds if seconds > 0 else 0.0
    yield (
        f"In this run: {counted(fetched, 'page')} in {duration(seconds)}, {rate(pace)} a second;"
        f" {counted(visits, 'visit')}, {size(progress['wire_bytes'])}, {counted(progress['links'], 'link')};"
        f" order {progress['policy']}"
    )
    if run.state is RunState.RUNNING and progress.get("compiling_seconds") is not None:
        yield f"{compiling_line(progress['compiling_seconds']).capitalize()}."
    if progress.get("cut"):
        yield f"Shortened because there was too much: {cut_line(progress['cut'])}; see the view cuts"
    if progress.get("harvest"):
        yield harvest_line(HarvestStatistics(**progress["harvest"])).capitalize()
    if (accuracy := accuracy_of(progress)) is not None:
        yield from (f"{line[0].upper()}{line[1:]}." for line in accuracy_lines(accuracy))
    if progress.get("hinterland"):
        hinterland = HinterlandStatistics(**progress["hinterland"])
        yield f"{hinterland_line(hinterland).capitalize()}; phase {hinterland.phase}"
    if progress.get("revisits"):
        yield f"In this run, {revisits_line(_revisits(progress['revisits']))}"
    yield from _limits(run)
    frontier = progress["frontier"]
    when = "now" if run.state is RunState.RUNNING else "at its end"
    yield (
        f"Hosts {when}: {number(frontier['hosts_ready'])} ready, {number(frontier['hosts_resting'])} resting,"
        f" {number(frontier['hosts_busy'])} busy, {number(frontier['hosts_given_up'])} given up;"
        f" {number(frontier['in_flight'])} visits in flight"
    )


def _limits(run: RunReport) -> Iterator[str]:
    """Yield what limits or limited the speed of the crawl, and which host names do not exist."""
    limits = limits_of(run.progress)
    if run.state is not RunState.RUNNING:
        if limits is not None and (mostly := mostly_line(limits)) is not None:
            yield f"Bound {mostly}."
    elif (now := told_now(run.progress)) is not None:
        yield now
    if limits is not None and (names := names_line(limits.lookups)) is not None:
        yield f"{names}."


def _revisits(told: Mapping[str, Any]) -> RevisitStatistics:
    """Return the counts of revisits that a run has stored with its progress."""
    # Only now: they bring numpy.
    from hinterland.crawler.features.recrawl.revisit_statistics import FreshnessOutlook, RevisitStatistics

    outlook = told.get("outlook")
    return RevisitStatistics(told["looks"], told["left"], None if outlook is None else FreshnessOutlook(**outlook))


def pages_section(counts: PageCounts) -> str:
    """Return a blank line, and a table of the number of pages in each state."""
    rows = [("Pages", "local", "outside", "")]
    rows += [
        (f"  {state}", number(counts.local[state]), number(counts.outside[state]), STATE_MEANINGS.get(state, ""))
        for state in PAGE_STATES
    ]
    local, outside = sum(counts.local.values()), sum(counts.outside.values())
    rows.append(("  all", number(local), number(outside), ""))
    return "\n".join(["", *table(rows, right=(1, 2), indent="")])


def hosts_section(hosts: HostsReport, now: float) -> str:
    """Return a blank line, and tables of the hosts with most pages or most waiting, failing and given-up hosts.

    `now` is in epoch seconds.
    """
    visited, given_up = number(hosts.visited), number(hosts.given_up)
    lines = ["", f"Hosts: {number(hosts.known)} known, {visited} visited, {given_up} given up"]
    rows = [("  with most pages", "visits", "waiting", "")]
    rows += [_host_row(host, now) for host in hosts.by_pages]
    if hosts.by_waiting:
        rows.append(("  with most waiting", "", "", ""))
        rows += [_host_row(host, now) for host in hosts.by_waiting]
    if hosts.by_pages or hosts.by_waiting:
        lines += table(rows, right=(1, 2), indent="")
    if hosts.failing:
        lines += ["  failing, with the last error", *_error_lines(hosts.failing)]
    if hosts.lost:
        lines += ["  given up, with the last error", *_error_lines(hosts.lost)]
        if hosts.given_up > len(hosts.lost):
            more = number(hosts.given_up - len(hosts.lost))
            lines.append(f"    and {more} more: SELECT * FROM hosts WHERE is_given_up")
    return "\n".join(lines)


def _error_lines(hosts: Sequence[HostReport]) -> list[str]:
    return [line for host in hosts for line in with_reason(f"    {printable(host.url)}", host.last_error or "unknown")]


def _host_row(host: HostReport, now: float) -> tuple[str, str, str, str]:
    notes = []
    if host.failures:
        notes.append(f"{counted(host.failures, 'failure')} in a row")
    if host.next_fetch - now > 1.0:
        notes.append(f"rests for {duration(host.next_fetch - now)}")
    return f"    {printable(host.url)}", number(host.pages_fetched), number(host.waiting), ", ".join(notes)


def runs_section(runs: Sequence[RunReport], all_of_them: int) -> str:
    """Return a blank line, and a table of the last runs."""
    lines = [
        "",
        "Runs" if len(runs) == all_of_them else f"Runs, the last {len(runs)} of {number(all_of_them)}",
    ]
    return "\n".join(lines + table((_run_row(run) for run in runs), right=(0, 2, 3)))


def _run_row(run: RunReport) -> tuple[str, str, str, str, str, str]:
    how = {RunState.RUNNING: "running now", RunState.KILLED: "was killed"}.get(run.state, run.reason or "")
    return (
        str(run.number),
        moment(run.started_at),
        duration(run.updated_at - run.started_at),
        counted(run.progress.get("pages_fetched", 0), "page"),
        how,
        shortened(printable(" ".join(run.command)), _MAX_COMMAND),
    )
