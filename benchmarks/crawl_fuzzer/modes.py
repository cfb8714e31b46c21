"""The ways in which a site is worked on, one after the other, each judged as soon as it has ended."""

from __future__ import annotations

import json
import random
import shutil
import signal
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from benchmarks.crawl_fuzzer import invariants
from benchmarks.crawl_fuzzer.commands import Ended, Interruption, carried_out
from benchmarks.crawl_fuzzer.invariants import Finding
from benchmarks.crawl_fuzzer.oracle import Expectation, expectation
from benchmarks.crawl_fuzzer.readers import readings
from benchmarks.crawl_fuzzer.server import Addresses, Counters, seen, serving
from benchmarks.crawl_fuzzer.shown import disagreements
from benchmarks.crawl_fuzzer.site import LOCAL, PORT, Site

_INTERRUPTIONS: Final = (
    (signal.SIGKILL,), (signal.SIGKILL,), (signal.SIGKILL,), (signal.SIGINT,), (signal.SIGTERM,),
    (signal.SIGINT, signal.SIGINT), (signal.SIGINT, signal.SIGKILL),
)  # fmt: skip
_UNFINISHED: Final = (0, 3, 4, 5, 6, 7, 8, 13, 14)
_RULES: Final = """\
[page]
pages = "http://**"
[page.fields]
title = "h1"
words = "p"
links = { css = "a", attribute = "href", type = "url", list = true }
"""
_IMPORTED: Final = frozenset({"outcome", "status", "body_hash", "title", "language", "redirect"})


@dataclass(slots=True)
class Bench:
    """Mutable. What a site is worked on with: files, addresses, its expectations, and what was found."""

    site: Site
    folder: Path
    addresses: Addresses
    counters: Counters
    draw: random.Random
    in_processes: bool
    findings: list[tuple[str, Finding]] = field(default_factory=list)
    mode: str = ""
    whole: set[str] = field(default_factory=set)
    """The stores whose crawl has ended well."""
    expected: dict[int, Expectation] = field(default_factory=dict)

    def store(self, name: str) -> Path:
        """Return the file of the store with this name."""
        return self.folder / f"{name}.db"

    def expectation(self, visit: int) -> Expectation:
        """Return what is expected of a visit, computed once."""
        if visit not in self.expected:
            before = self.expectation(visit - 1) if visit else None
            self.expected[visit] = expectation(self.site, visit, before)
        return self.expected[visit]

    def found(self, findings: Iterator[Finding]) -> None:
        """Record the findings of the current mode."""
        self.findings += [(self.mode, each) for each in findings]

    def run(self, *command: str, interruption: Interruption | None = None) -> Ended:
        """Run a command with the settings of the bench."""
        line = [*command]
        if command[0] in ("crawl", "recrawl", "import", "extract", "explain"):
            line += ["--settings", str(self.folder / "settings.toml")]
        return carried_out(
            line,
            self.folder,
            in_processes=self.in_processes,
            interruption=interruption,
            requests=lambda: self.counters.requests,
        )

    def write_settings(self) -> None:
        """Write the settings that all commands use."""
        sections: dict[str, dict[str, object]] = {
            "politeness": {
                "delay_seconds": self.site.delay, "delay_factor": 0.0, "address_delay_seconds": 0.0,
                "address_connections": 0, "backoff_seconds": 0.02, "max_backoff_seconds": 0.1,
                "max_retry_after_seconds": 0.2, "network_patience_seconds": 4.0, "max_retry_wait_seconds": 20.0,
            },
            "robots": {"retry_seconds": 0.1},
            "fetching": {
                "allow_networks": ["127.0.0.0/8"], "first_byte_timeout_seconds": 2.0, "body_timeout_seconds": 6.0,
                "addresses": self.addresses.of(self.site),
            },
            "scope": {
                "hosts": [f"{host.name}:{PORT}" for host in self.site.hosts.values() if host.side == LOCAL],
            },
            "parsing": {"processes": 1},
        }  # fmt: skip
        for section, values in self.site.settings.items():
            sections[section] = {**sections.get(section, {}), **values}
        text = "".join(
            f"[{section}]\n" + "".join(f"{key} = {_toml(value)}\n" for key, value in values.items())
            for section, values in sections.items()
        )
        (self.folder / "settings.toml").write_text(text, encoding="utf-8")
        (self.folder / "rules.toml").write_text(_RULES, encoding="utf-8")


def _toml(value: object) -> str:
    if isinstance(value, Mapping):
        return "{ " + ", ".join(f"{json.dumps(key)} = {_toml(each)}" for key, each in value.items()) + " }"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(map(_toml, value)) + "]"
    return json.dumps(value)


# --- the modes ----------------------------------------------------------------------------------


def _crawl(bench: Bench) -> None:
    """Make the crawl that everything else is compared with.

    It stores bodies, an archive, and what extraction rules find.
    """
    _crawled(bench, "crawl", ("--warc", str(bench.folder / "warc"), "--extract", str(bench.folder / "rules.toml")))


def _again(bench: Bench) -> None:
    """Repeat the crawl: the same seed must give the same store."""
    _crawled(bench, "again", ())
    bench.found(_same(bench, "again", "the same twice"))


def _resume(bench: Bench) -> None:
    """Interrupted at random, and resumed each time."""
    times = bench.draw.choice((0, 1, 1, 2, 3))
    most = bench.draw.randint(1, 20) if not times or bench.draw.random() < 0.2 else None
    _crawled(bench, "resume", ("--warc", str(bench.folder / "warc-resumed")), interruptions=times, most=most)
    bench.found(_same(bench, "resume", "as undisturbed"))


def _crawled(bench: Bench, name: str, more: Sequence[str], *, interruptions: int = 0, most: int | None = None) -> None:
    """most: the pages that the first run may fetch."""
    site, store, log = bench.site, bench.store(name), bench.folder / f"{name}.log"
    command = ["--store", str(store), "--log-json", *more]
    expected = bench.expectation(0)
    with serving(site, 0, bench.addresses, log, bench.counters):
        budget = [] if most is None else ["--max-pages", str(most)]
        first = ["crawl", *site.seeds, *site.options, *command]
        ended = bench.run(*first, *budget, interruption=_drawn(bench, interruptions))
        runs = 1
        while (ended.was_interrupted or ended.code == 5) and runs < 6:
            bench.found(invariants.of_the_end(ended, may=_UNFINISHED))
            if store.exists():
                bench.found(invariants.of_the_store(store))
            interruptions -= 1
            again = [*site.seeds, *site.options] if not store.exists() else []
            resumed = ["crawl", "--resume", *again, *command, *(["--max-pages", "none"] if budget else [])]
            ended = bench.run(*resumed, interruption=_drawn(bench, interruptions))
            if ended.code == 3 and "nothing to resume" in ended.out:
                ended = bench.run(*first)
            runs += 1
    _judge(bench, ended, store, log, visit=0, runs=runs, expected=expected)


def _drawn(bench: Bench, interruptions: int) -> Interruption | None:
    if interruptions <= 0:
        return None
    most = len(bench.expectation(0).fates) + 5
    signals = bench.draw.choice(_INTERRUPTIONS)
    least = 0 if signals[0] == signal.SIGKILL else 1  # before its first request it may not yet listen to others
    after = bench.draw.randint(least, max(1, most // (interruptions + 1)))
    return Interruption(bench.counters.requests + after, signals)


def _judge(bench: Bench, ended: Ended, store: Path, log: Path, *, visit: int, runs: int, expected: Expectation) -> None:
    site = bench.site
    bench.found(invariants.of_the_end(ended))
    bench.found(invariants.of_the_store(store))
    if not store.exists() or ended.code in (None, 1) or ended.code < 0:
        return  # all else would follow from that
    bench.whole.add(store.stem)
    bench.found(invariants.of_the_pages(site, expected, store, visit=visit))
    bench.found(invariants.of_what_waits(site, store, visit=visit, code=ended.code))
    bench.found(invariants.of_the_log(site, expected, seen(log), visit=visit, runs=runs))
    event = invariants.end_event(ended)
    if event is None:
        bench.found(iter([Finding("the crawl says how it ended", ended.command[0])]))
        return
    status = bench.run("status", str(store), "--json")
    bench.found(invariants.of_the_end(status, may=(0,)))
    if status.code == 0:
        told = json.loads(status.out)
        bench.found(invariants.of_the_counts(event, told, store, visit=visit, is_first=not visit and runs == 1))


def _same(bench: Bench, name: str, invariant: str) -> Iterator[Finding]:
    if {name, "crawl"} <= bench.whole:
        urls = [url for url, fate in bench.expectation(0).fates.items() if fate]
        yield from invariants.of_two_stores(invariant, bench.store("crawl"), bench.store(name), urls, bench.site)


def _recrawl(bench: Bench) -> None:
    """Look again at two later visits, interrupted perhaps, or within a budget of time first."""
    store = bench.store("recrawl")
    if not _has_pages(bench.store("crawl")):
        return
    shutil.copy(bench.store("crawl"), store)
    for visit in (1, 2):
        log = bench.folder / f"recrawl-{visit}.log"
        command = ["recrawl", str(store), "--log-json"]
        expected = bench.expectation(visit)
        with serving(bench.site, visit, bench.addresses, log, bench.counters):
            runs = 1
            if bench.draw.random() < 0.1:
                ended = bench.run(*command, "--budget", "max", "--for", "1s")
                bench.found(invariants.of_the_end(ended, may=(*_UNFINISHED, 15)))
                bench.found(invariants.of_the_store(store))
                runs = 2
            ended = bench.run(*command, interruption=_drawn(bench, bench.draw.choice((0, 0, 1))))
            if ended.was_interrupted:
                bench.found(invariants.of_the_end(ended, may=_UNFINISHED))
                bench.found(invariants.of_the_store(store))
                ended, runs = bench.run(*command), runs + 1
        _judge(bench, ended, store, log, visit=visit, runs=runs, expected=expected)
        changes = bench.run("changes", str(store), "--json")
        bench.found(invariants.of_the_end(changes, may=(0,)))


def _import(bench: Bench) -> None:
    """Import the archives of the crawl and of the interrupted one."""
    local = [word for seed in bench.site.seeds for word in ("--local", seed)]
    for archive, name in (("warc", "crawl"), ("warc-resumed", "resume")):
        folder, store = bench.folder / archive, bench.store(f"import-{name}")
        if name not in bench.whole or not _has_pages(bench.store(name)) or not any(folder.glob("*.warc.gz")):
            continue
        ended = bench.run("import", str(folder), "--store", str(store), *local, "--json")
        bench.found(invariants.of_the_end(ended, may=(0, 4)))
        bench.found(invariants.of_the_store(store))
        archived = "SELECT url FROM pages WHERE outcome IN ('fetched', 'redirected')"
        fetched = invariants.rows(bench.store(name), archived)
        if ended.code is not None and store.exists():
            urls = [url for (url,) in fetched]
            first = bench.store(name)
            bench.found(invariants.of_two_stores("import as the crawl", first, store, urls, bench.site, only=_IMPORTED))


def _extract(bench: Bench) -> None:
    """Rules applied to kept bodies give what the crawl took out of the pages."""
    store = bench.store("extract")
    if not _has_pages(bench.store("crawl")):
        return
    shutil.copy(bench.store("crawl"), store)
    records = "SELECT page, number, fields FROM record ORDER BY 1, 2"
    before = invariants.rows(store, records)
    ended = bench.run("extract", str(store), "--rules", str(bench.folder / "rules.toml"), "--json")
    bench.found(invariants.of_the_end(ended, may=(0,)))
    after = invariants.rows(store, records)
    if before != after and ended.code == 0:
        differing = sorted(set(before) ^ set(after))[:2]
        bench.found(iter([Finding("extract as the crawl", "records differ", str(differing)[:600])]))


def _show(bench: Bench) -> None:
    """Check the answers of the server, for browsers and by the API."""
    for name in ("recrawl", "crawl"):
        store = bench.store(name)
        if not store.exists():
            continue
        ended = bench.run("show", str(store))
        bench.found(invariants.of_the_end(ended, may=(0,)))
        if ended.code == 0:
            for what, detail in disagreements(json.loads(ended.out), store):
                bench.found(iter([Finding("the server tells the same", what, detail)]))
        return


def _read(bench: Bench) -> None:
    """Run every command that only reads a store."""
    for name in ("recrawl", "crawl"):
        store = bench.store(name)
        if _has_pages(store):
            urls = [url for (url,) in invariants.rows(store, "SELECT url FROM page ORDER BY id")]
            bench.found(readings(store, bench.draw.choice(urls), bench.folder, bench.run))
            return


def _render(bench: Bench) -> None:
    """Crawl with a browser, if there is one."""
    _crawled(bench, "render", ("--render", "always", "--set", "rendering.sandbox=false"))


def _has_pages(store: Path) -> bool:
    return store.exists() and bool(invariants.rows(store, "SELECT 1 FROM fetch WHERE outcome = 'fetched' LIMIT 1"))


MODES: Final[Mapping[str, Callable[[Bench], None]]] = {
    "crawl": _crawl,
    "again": _again,
    "resume": _resume,
    "recrawl": _recrawl,
    "import": _import,
    "extract": _extract,
    "show": _show,
    "read": _read,
    "render": _render,
}
"""The modes in their order; all need the results of `crawl`."""
SHARES: Final[Mapping[str, float]] = {
    "again": 0.15, "resume": 0.5, "recrawl": 0.5, "import": 0.35, "extract": 0.1, "show": 0.15, "read": 0.15,
    "render": 0.0,
}  # fmt: skip
"""The share of sites to which a mode applies unless it is named; 1 for modes that are not listed."""


def worked_on(site: Site, modes: Sequence[str], folder: Path, addresses: Addresses) -> list[tuple[str, Finding]]:
    """Return the violations found on a site, each with its mode."""
    draw = random.Random(f"modes {site.seed}")
    bench = Bench(site, folder, addresses, Counters(), draw, in_processes=draw.random() < 0.1)
    bench.write_settings()
    for name in ("crawl", *(each for each in MODES if each in modes and each != "crawl")):
        bench.mode = name
        bench.draw = random.Random(f"{name} {site.seed}")
        MODES[name](bench)
    return bench.findings


def drawn_modes(seed: int) -> list[str]:
    """Return the modes for the site of this seed if none is named."""
    draw = random.Random(f"drawn modes {seed}")
    return [name for name in MODES if draw.random() < SHARES.get(name, 1.0)]
