"""What limits the speed of a crawl, in words: one line. Pure."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import fields
from typing import Any, Final, TypeVar

from hinterland.crawler.fetching.flow.bounds import Bound, RequestCounts
from hinterland.crawler.fetching.flow.lookup_record import LookupsNow
from hinterland.crawler.fetching.flow.weather import Weather
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
    Bound.POLITENESS: "more hosts, or a shorter politeness.delay_seconds, would give more pages per second",
    Bound.ADDRESSES: "a shorter politeness.address_delay_seconds would give more pages per second",
    Bound.NOTHING: "more seeds or a wider scope would bring more",
}


def weather_of(progress: Mapping[str, Any]) -> Weather | None:
    """Return the limits that a run has reported; None if it has reported none, or in the form of another version."""
    told = progress.get("weather")
    if not told or told.get("bound") not in set(Bound):
        return None
    counts = dict.fromkeys((each.name for each in fields(FrontierCounts)), 0)
    known = _known(Weather, told)
    known["hosts"] = FrontierCounts(**counts | _known(FrontierCounts, told.get("hosts", {})))
    known["bound"] = Bound(told["bound"])
    known["seconds"] = {name: each for name, each in known.get("seconds", {}).items() if name in set(Bound)}
    known["lookups"] = LookupsNow(**_known(LookupsNow, told.get("lookups", {})))
    known["phases"] = RequestCounts(**_known(RequestCounts, told.get("phases", {})))
    return Weather(**known)


def bound_line(weather: Weather) -> str:
    """Return what limits the crawl now, with its figures: one sentence without a full stop."""
    return _SENTENCES[weather.bound](weather)


def bound_advice(weather: Weather) -> str:
    """Return what limits the crawl now, and what would help."""
    way_out = _WAYS_OUT.get(weather.bound, "")
    joint = ": " if weather.bound is Bound.NAME_SERVER else "; "
    return f"{bound_line(weather)}{joint if way_out else ''}{way_out}"


def told_now(progress: Mapping[str, Any]) -> str | None:
    """Return what limits a running crawl, and what would help, from its stored progress; None if it has none yet."""
    weather, down = weather_of(progress), progress.get("network_down_seconds")
    if down is not None and (weather is None or weather.bound is not Bound.NAME_SERVER):
        return f"No host has been reachable for {duration(down)}; one is tried now and then."
    return None if weather is None else f"{bound_advice(weather)}."


def mostly_line(weather: Weather) -> str | None:
    """Return what limited a run for most of the time; None if unknown."""
    if weather.mostly is None:
        return None
    bound, share = weather.mostly
    return f"{share:.0%} of the time by {_NAMES[bound]}"


def names_line(lookups: LookupsNow) -> str | None:
    """Return how many host names do not exist or were not answered; None if there are none."""
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


def _name_server(weather: Weather) -> str:
    lookups = weather.lookups
    does = "does not reply" if lookups.silent >= lookups.failed else "finds no name"
    return (
        f"The name server of this machine {does} ({number(lookups.last)} of the last {counted(lookups.last, 'lookup')})"
    )


def _names(weather: Weather) -> str:
    seconds, under_way = weather.lookups.seconds, f"{number(weather.lookups_under_way)} under way"
    if seconds is not None and seconds >= _SLOW:
        return f"Names are slow: a lookup takes {duration(seconds)} (the name server of this machine, {under_way})"
    takes = "" if seconds is None else f"; a lookup takes {seconds:.2f} s"
    hosts = counted(weather.hosts.hosts_unnamed + weather.lookups_under_way, "host")
    return f"Bound by names: {hosts} to be looked up, {under_way}{takes}"


def _link(weather: Weather) -> str:
    queue = weather.queueing_seconds
    why = "" if queue is None else f"packets wait {1000 * queue:.0f} ms in its queue; "
    return f"Bound by our link: {why}{counted(weather.requests, 'request')} at a time are enough to fill it"


def _waiting(weather: Weather, waiting: int, what: str) -> str:
    return f"{number(waiting)} of {counted(weather.phases.under_way, 'request')} {what}"


def _politeness(weather: Weather) -> str:
    hosts = weather.hosts
    living = hosts.hosts_ready + hosts.hosts_resting + hosts.hosts_busy
    rest = "rests" if living == 1 else "rest"
    return f"Bound by politeness: {number(hosts.hosts_resting)} of {counted(living, 'host')} {rest} between requests"


def _processor(weather: Weather) -> str:
    return f"Bound by the processor of this machine: work is {1000 * weather.late_seconds:.0f} ms behind"


_Sentence = Callable[[Weather], str]
_SENTENCES: Final[Mapping[Bound, _Sentence]] = {
    Bound.NETWORK_DOWN: lambda _: "The network is down: no host is reachable; one is tried now and then",
    Bound.NAME_SERVER: _name_server,
    Bound.PARSERS: lambda _: "Bound by the parsers: pages arrive faster than they are parsed",
    Bound.DISK: lambda _: "Bound by the disk: pages arrive faster than the store writes them",
    Bound.SETTING: lambda weather: (
        f"Bound by the setting fetching.max_in_flight: {number(weather.max_visits)} visits are under way"
    ),
    Bound.MACHINE: lambda weather: (
        "Bound by this machine: it has open files and memory for no more than"
        f" {counted(weather.places, 'request')} at a time"
    ),
    Bound.PROCESSOR: _processor,
    Bound.LINK: _link,
    Bound.LOSS: lambda weather: (
        "Bound by the network: requests to hosts that answered before time out, so no more than"
        f" {number(weather.places)} are made at a time"
    ),
    Bound.GROWING: lambda weather: (
        f"Still growing: {counted(weather.places, 'request')} at a time, and more with each answer"
    ),
    Bound.NAMES: _names,
    Bound.CONNECTING: lambda weather: (
        "Bound by connecting: "
        + _waiting(weather, weather.phases.connecting + weather.phases.handshaking, "wait for a connection")
    ),
    Bound.SERVERS: lambda weather: (
        "Bound by the servers: " + _waiting(weather, weather.phases.awaiting_first_byte, "wait for the first byte")
    ),
    Bound.BODIES: lambda weather: (
        "Bound by the time that bodies take to arrive: "
        + _waiting(weather, weather.phases.reading + weather.phases.queued, "wait for the rest of a body")
    ),
    Bound.POLITENESS: _politeness,
    Bound.ADDRESSES: lambda weather: (
        f"Bound by politeness: {counted(weather.hosts.hosts_ready - weather.hosts.hosts_unnamed, 'host')} could be"
        " visited if others were not at the same address"
    ),
    Bound.RETRIES: lambda weather: (
        f"All {counted(weather.hosts.retrying, 'waiting page')} have failed before, and rest until they are retried"
    ),
    Bound.NOTHING: lambda _: "Bound by nothing: all pages known are fetched or under way",
}
