"""Says in one line what limits the speed of a crawl. Pure."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import fields
from typing import Any, Final, TypeVar

from hinterland.crawler.fetching.flow.bounds import Bound, RequestCounts
from hinterland.crawler.fetching.flow.crawl_limits import CrawlLimits
from hinterland.crawler.fetching.flow.lookup_record import LookupsNow
from hinterland.crawler.frontier.visits import FrontierCounts
from hinterland.library.text.wording import counted, duration, number

T = TypeVar("T")
_SLOW: Final = 1.0  # seconds; lookups that take longer are called slow

_NAMES: Final = {
    Bound.NETWORK_DOWN: "the network, which was down",
    Bound.NAME_SERVER: "the name server of this machine",
    Bound.PARSERS: "the parsers",
    Bound.DISK: "the disk",
    Bound.SETTING: "the setting fetching.max_in_flight",
    Bound.MACHINE: "the open files and the memory of this machine",
    Bound.PROCESSOR: "the processor of this machine",
    Bound.LINK: "our link",
    Bound.LOSS: "requests that timed out",
    Bound.GROWING: "its slow start",
    Bound.NAMES: "names",
    Bound.CONNECTING: "connecting",
    Bound.SERVERS: "the servers",
    Bound.BODIES: "the time that bodies take to arrive",
    Bound.POLITENESS: "politeness",
    Bound.ADDRESSES: "politeness to addresses that hosts share",
    Bound.FAILURES: "hosts that had failed",
    Bound.RETRIES: "pages that wait for a retry",
    Bound.NOTHING: "nothing: no other page was known",
}
_WAYS_OUT: Final = {
    Bound.NAME_SERVER: "see /etc/resolv.conf, or set fetching.lookups",
    Bound.PARSERS: "more parsing.processes may help",
    Bound.DISK: "a faster disk, or a store in another place, may help",
    Bound.SETTING: "raise it if you want more",
    Bound.MACHINE: "raise the limit of open files (ulimit -n)",
    Bound.PROCESSOR: "more processes (--cluster local:N) may help",
    Bound.CONNECTING: "the errors name the hosts that accept none",
    Bound.FAILURES: "`status` says why",
    Bound.POLITENESS: "more hosts, or a shorter politeness.delay_seconds, would give more pages per second",
    Bound.ADDRESSES: "a shorter politeness.address_delay_seconds would give more pages per second",
    Bound.NOTHING: "more seeds or a wider scope would bring more",
}


def limits_of(progress: Mapping[str, Any]) -> CrawlLimits | None:
    """Return the limits that a run has reported; None if it has reported none, or if another version wrote them."""
    told = progress.get("weather")
    if not told or told.get("bound") not in set(Bound):
        return None
    counts = dict.fromkeys((each.name for each in fields(FrontierCounts)), 0)
    known = _known(CrawlLimits, told)
    known["hosts"] = FrontierCounts(**counts | _known(FrontierCounts, told.get("hosts", {})))
    known["bound"] = Bound(told["bound"])
    known["seconds"] = {name: each for name, each in known.get("seconds", {}).items() if name in set(Bound)}
    known["lookups"] = LookupsNow(**_known(LookupsNow, told.get("lookups", {})))
    known["phases"] = RequestCounts(**_known(RequestCounts, told.get("phases", {})))
    return CrawlLimits(**known)


def bound_line(limits: CrawlLimits) -> str:
    """Return what limits the crawl now, with figures: one sentence without a full stop."""
    return _SENTENCES[limits.bound](limits)


def bound_advice(limits: CrawlLimits) -> str:
    """Return what limits the crawl now, and what would help."""
    way_out = _WAYS_OUT.get(limits.bound, "")
    joint = ": " if limits.bound is Bound.NAME_SERVER else "; "
    return f"{bound_line(limits)}{joint if way_out else ''}{way_out}"


def told_now(progress: Mapping[str, Any]) -> str | None:
    """Return what limits a running crawl, and what would help, from its stored progress; None if unknown."""
    limits, down = limits_of(progress), progress.get("network_down_seconds")
    if down is not None and (limits is None or limits.bound is not Bound.NAME_SERVER):
        return f"No host has been reachable for {duration(down)}; one is tried now and then."
    return None if limits is None else f"{bound_advice(limits)}."


def mostly_line(limits: CrawlLimits) -> str | None:
    """Return what limited a run for most of its time; None if unknown."""
    if limits.mostly is None:
        return None
    bound, share = limits.mostly
    return f"{share:.0%} of the time by {_NAMES[bound]}"


def names_line(lookups: LookupsNow) -> str | None:
    """Return how many host names do not exist, and how many could not be looked up; None if all were found."""
    told = []
    of = f" of {counted(lookups.found + lookups.dead + lookups.unanswered, 'name')}"
    if lookups.dead:
        verbs = "does not exist or leads" if lookups.dead == 1 else "do not exist or lead"
        hosts = "its host is" if lookups.dead == 1 else "their hosts are"
        told.append(f"{number(lookups.dead)}{of} {verbs} nowhere; {hosts} left alone")
        of = ""
    if lookups.unanswered:
        told.append(f"{number(lookups.unanswered)}{of} could not be looked up, and will be tried again")
    return "; ".join(told) or None


def _known(kind: type[Any], told: Mapping[str, Any]) -> dict[str, Any]:
    """Return the stored values that are fields of `kind` in this version."""
    names = {each.name for each in fields(kind)}
    return {name: value for name, value in told.items() if name in names}


# ---------------------------------------------------------------- sentences


def _name_server(limits: CrawlLimits) -> str:
    lookups = limits.lookups
    does = "does not reply" if lookups.silent >= lookups.failed else "finds no name"
    return (
        f"The name server of this machine {does} ({number(lookups.last)} of the last {counted(lookups.last, 'lookup')})"
    )


def _names(limits: CrawlLimits) -> str:
    seconds, under_way = limits.lookups.seconds, f"{number(limits.lookups_under_way)} under way"
    if seconds is not None and seconds >= _SLOW:
        return f"Names are slow: a lookup takes {duration(seconds)} (the name server of this machine, {under_way})"
    takes = "" if seconds is None else f"; a lookup takes {seconds:.2f} s"
    hosts = counted(limits.hosts.hosts_unnamed + limits.lookups_under_way, "host")
    return f"Bound by names: {hosts} to be looked up, {under_way}{takes}"


def _link(limits: CrawlLimits) -> str:
    queue = limits.queueing_seconds
    why = "" if queue is None else f"packets wait {1000 * queue:.0f} ms in its queue; "
    return f"Bound by our link: {why}{counted(limits.requests, 'request')} at a time are enough to fill it"


def _waiting(limits: CrawlLimits, waiting: int, what: str) -> str:
    return f"{number(waiting)} of {counted(limits.phases.under_way, 'request')} {what}"


def _politeness(limits: CrawlLimits) -> str:
    hosts = limits.hosts
    living = hosts.hosts_ready + hosts.hosts_resting + hosts.hosts_busy
    rest = "rests" if living == 1 else "rest"
    return f"Bound by politeness: {number(hosts.hosts_resting)} of {counted(living, 'host')} {rest} between requests"


def _failures(limits: CrawlLimits) -> str:
    resting = limits.hosts.hosts_resting
    each = "The only host with waiting pages" if resting == 1 else f"All {number(resting)} hosts with waiting pages"
    return f"{each} failed last time, and {'rests' if resting == 1 else 'rest'} until the next try"


def _retries(limits: CrawlLimits) -> str:
    if limits.hosts.retrying == 1:
        return "The only waiting page has failed before, and rests until it is retried"
    return f"All {number(limits.hosts.retrying)} waiting pages have failed before, and rest until they are retried"


def _processor(limits: CrawlLimits) -> str:
    return f"Bound by the processor of this machine: work is {1000 * limits.late_seconds:.0f} ms behind"


_Sentence = Callable[[CrawlLimits], str]
_SENTENCES: Final[Mapping[Bound, _Sentence]] = {
    Bound.NETWORK_DOWN: lambda _: "The network is down: no host is reachable; one is tried now and then",
    Bound.NAME_SERVER: _name_server,
    Bound.PARSERS: lambda _: "Bound by the parsers: pages arrive faster than they are parsed",
    Bound.DISK: lambda _: "Bound by the disk: pages arrive faster than the store writes them",
    Bound.SETTING: lambda limits: (
        f"Bound by the setting fetching.max_in_flight: {number(limits.max_visits)} visits are under way"
    ),
    Bound.MACHINE: lambda limits: (
        "Bound by this machine: it has open files and memory for no more than"
        f" {counted(limits.places, 'request')} at a time"
    ),
    Bound.PROCESSOR: _processor,
    Bound.LINK: _link,
    Bound.LOSS: lambda limits: (
        "Bound by the network: requests to hosts that answered before time out, so no more than"
        f" {number(limits.places)} are made at a time"
    ),
    Bound.GROWING: lambda limits: (
        f"Still growing: {counted(limits.places, 'request')} at a time, and more with each answer"
    ),
    Bound.NAMES: _names,
    Bound.CONNECTING: lambda limits: (
        "Bound by connecting: "
        + _waiting(limits, limits.phases.connecting + limits.phases.handshaking, "wait for a connection")
    ),
    Bound.SERVERS: lambda limits: (
        "Bound by the servers: " + _waiting(limits, limits.phases.awaiting_first_byte, "wait for the first byte")
    ),
    Bound.BODIES: lambda limits: (
        "Bound by the time that bodies take to arrive: "
        + _waiting(limits, limits.phases.reading + limits.phases.queued, "wait for the rest of a body")
    ),
    Bound.POLITENESS: _politeness,
    Bound.ADDRESSES: lambda limits: (
        f"Bound by politeness: {counted(limits.hosts.hosts_ready - limits.hosts.hosts_unnamed, 'host')} could be"
        " visited if others were not at the same address"
    ),
    Bound.FAILURES: _failures,
    Bound.RETRIES: _retries,
    Bound.NOTHING: lambda _: "Bound by nothing: all pages known are fetched or under way",
}
