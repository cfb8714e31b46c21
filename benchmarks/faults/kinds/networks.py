"""Networks and servers that are gone for a time. Times are those of the crawl's clock."""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final

from benchmarks.faults.cell import Cell
from benchmarks.faults.kinds.fault import NO_NETWORK, Fault

_MIDDLE: Final = 0.35
_RESOLVER: Final = "nameserver 127.0.0.53\noptions timeout:1 attempts:1\n"


def _outage(of: Callable[[Cell], Iterator[None]], seconds: float, *, retry: bool = False) -> Callable[[Cell], None]:
    """Return a fault: an outage of `seconds` in the middle of a crawl."""
    gone = contextmanager(of)

    def happen(cell: Cell) -> None:
        job = cell.begin()
        cell.wait_for_middle(job, _MIDDLE)
        with gone(cell):
            cell.rest(seconds)
        cell.finish(job, retry=retry)

    return happen


def _silence(_cell: Cell) -> Iterator[None]:
    """Pull the cable: nothing arrives, and no error is reported."""
    _ip("link", "set", "lo", "down")
    try:
        yield
    finally:
        _ip("link", "set", "lo", "up")


def _no_route(_cell: Cell) -> Iterator[None]:
    """Remove the route: every connection fails at once."""
    _ip("rule", "del", "priority", "0")
    try:
        yield
    finally:
        _ip("rule", "add", "priority", "0", "lookup", "local")


def _all_refuse(cell: Cell) -> Iterator[None]:
    """Every server's process is gone."""
    for server in cell.servers.both:
        server.kill()
    yield
    for server in cell.servers.both:
        server.start()


def _all_hang(cell: Cell) -> Iterator[None]:
    """Every server takes connections and answers nothing."""
    for server in cell.servers.both:
        server.stop()
    yield
    for server in cell.servers.both:
        server.go_on()


def _first_refuses(cell: Cell) -> Iterator[None]:
    """Kill the server of all hosts but one."""
    cell.servers.first.kill()
    yield
    cell.servers.first.start()


def _second_refuses(cell: Cell) -> Iterator[None]:
    """One host is gone, the others are there."""
    cell.servers.second.kill()
    yield
    cell.servers.second.start()


def _second_hangs(cell: Cell) -> Iterator[None]:
    cell.servers.second.stop()
    yield
    cell.servers.second.go_on()


def _answering(status: int) -> Callable[[Cell], Iterator[None]]:
    def of(cell: Cell) -> Iterator[None]:
        """All hosts but one answer so."""
        cell.servers.first.answer_all_with(status)
        yield
        cell.servers.first.answer_all_with(None)

    return of


def host_dead(cell: Cell) -> None:
    """One host is not there for the whole of a crawl, and is back for the next."""
    cell.servers.second.kill()
    code = cell.ended(cell.begin())
    cell.claim(f"without it: exit code {code}", code in (0, 8))
    cell.servers.second.start()
    cell.finish(cell.go_on())


def _dns(seconds: float, override: str | None) -> Callable[[Cell], None]:
    """Names are looked up by a server that is gone for a time, or answers everything with an address of its own."""

    def happen(cell: Cell) -> None:
        cell.write_settings(with_addresses=False)
        resolver = cell.folder / "resolv.conf"
        resolver.write_text(_RESOLVER)
        subprocess.run(["mount", "--bind", resolver, "/etc/resolv.conf"], check=True)
        cell.names.start()
        job = cell.begin()
        cell.wait_for_middle(job, _MIDDLE)
        if override is None:
            cell.names.stop()
        cell.names.override = override
        cell.rest(seconds)
        cell.names.override = None
        if override is None:
            cell.names.start()
        cell.finish(job)

    return happen


def _ip(*words: str) -> None:
    subprocess.run(["ip", *words], check=True)


_BY_ITSELF: Final = "it pauses, counts nothing and goes on by itself"
_TIMES: Final = {"20 s": 20.0, "60 s": 60.0, "11 min": 660.0, "30 min": 1800.0}
FAULTS: Final = (
    *(
        Fault(f"network {how} {name}", _BY_ITSELF, _outage(of, seconds), NO_NETWORK, needs_root=True)
        for how, of in (("silent", _silence), ("unreachable", _no_route))
        for name, seconds in _TIMES.items()
    ),
    *(
        Fault(f"all servers {how} {name}", _BY_ITSELF, _outage(of, _TIMES[name]), NO_NETWORK)
        for how, of in (("refuse", _all_refuse), ("hang", _all_hang))
        for name in ("60 s", "11 min")
    ),
    *(
        Fault(
            f"server of 7 of 8 hosts {how} {name}",
            "no page is used up; by itself, or with --resume where hosts were given up",
            _outage(of, _TIMES[name]),
            NO_NETWORK,
        )
        for how, of in (("refuses", _first_refuses), ("answers 502", _answering(502)))
        for name in ("60 s", "11 min")
    ),
    *(
        Fault(
            f"one host {how} {name}",
            "no page is used up; by itself, or with --resume if it was given up",
            _outage(of, _TIMES[name]),
            NO_NETWORK,
        )
        for how, of, name in (("refuses", _second_refuses, "60 s"), ("hangs", _second_hangs, "11 min"))
    ),
    Fault(
        "server of 7 of 8 hosts answers 404 60 s",
        "it is believed; --resume --retry failed asks again",
        _outage(_answering(404), 60.0, retry=True),
        NO_NETWORK,
    ),
    Fault("one host dead", "all else is fetched; its pages wait for --resume", host_dead, NO_NETWORK),
    Fault("DNS dead 5 min", _BY_ITSELF, _dns(300.0, None), NO_NETWORK, needs_root=True),
    Fault(
        "DNS answers 10.0.0.1 5 min",
        "hosts are held back, not their pages settled; by itself or with --resume",
        _dns(300.0, "10.0.0.1"),
        NO_NETWORK,
        needs_root=True,
    ),
)
