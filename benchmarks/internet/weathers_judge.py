"""What a crawl of a world with finite hosts has lost: pages, living hosts, its manners or its own end. Pure.

The world says which pages there are and whose failures are real. From the seeds, each page that was fetched leads to
others; each of these must be fetched, too, unless its host does what the world says of it (it forbids, challenges,
resets connections, asks for a cookie), and then the store must say so. A page that waits is not lost as long as the
crawl does not claim to be done, and a host that cannot be reached must at least be known to the store.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from benchmarks.internet.crawls import Failure
from benchmarks.internet.ideal import lives
from benchmarks.internet.manners import Verdict
from benchmarks.internet.pages import SmallWeb, number_of, path_of
from benchmarks.internet.report_blame import blame_of, is_rightly_said, sort_of
from benchmarks.internet.world import Host, Quirk, World

_DONE: Final = 0
_STOPPED: Final = 6
_GOOD_ENDS: Final = frozenset({_DONE, _STOPPED, 8, 13})
"""Exit codes: exhausted, stopped by us, hosts given up, retries left. Hosts that were given up are judged apart."""
_NOTHING_FETCHED: Final = 4
_BUG: Final = ("this is a bug", "Traceback")
_WITHHOLDING: Final = (Quirk.FORBIDS, Quirk.CHALLENGE)
"""Such a host rests longer and longer, so its pages may wait for ever."""
_UNFETCHED: Final = ("waiting", "known")
"""States of pages that may still be fetched: those outside the domain are known until the crawl chooses them."""
_SHOWN: Final = 3


@dataclass(frozen=True, slots=True)
class Stored:
    """What a store says about a page.

    `state` is known, waiting, fetched, redirected, failed or refused; `outcome` is that of its last visit, "" before
    the first.
    """

    state: str
    outcome: str = ""


@dataclass(frozen=True, slots=True)
class Seen:
    """The result of a cell.

    `pages` counts the pages of the world that were fetched, `excused` the pages that their hosts withhold, `waiting`
    those still to be fetched when the crawl ended, `passing` the failures of living hosts that have answered since.
    `lost` says in words what must not have happened.
    """

    pages: int
    excused: int
    waiting: int
    passing: int
    exit_codes: Sequence[int]
    lost: Sequence[str]

    @property
    def is_complete(self) -> bool:
        """Whether the crawl came to its end, or had only hosts left that cannot be reached when it was stopped."""
        return not self.waiting or _STOPPED not in self.exit_codes


def base_of(world: World, host: Host) -> str:
    """Return the scheme and authority at which a host shows its pages, after its redirects."""
    if host.quirk is Quirk.REDIRECTS_TO_TLS:
        return f"https://www.{host.name}"
    return world.host_url(host).removesuffix("/")


def judged(
    world: World,
    *,
    seeds: Iterable[str],
    stored: Mapping[str, Stored],
    exit_codes: Sequence[int],
    output: str,
    failures: Sequence[Failure],
    manners: Verdict,
) -> Seen:
    """Compare what a crawl of a world left with what the world holds. seeds: roots, as links name them."""
    blame = blame_of(world, (failure for failure in failures if not failure.is_over))
    passing = blame_of(world, (failure for failure in failures if failure.is_over)).hosts
    pages, excused, waiting = 0, 0, 0
    missing: list[str] = []
    is_done = all(code == _DONE for code in exit_codes)
    for index, url in _within_reach(world, seeds, stored):
        found = stored.get(url)
        if found is not None and found.state == "fetched":
            pages += 1
        elif found is not None and _withholds(world.hosts[index].quirk, found, is_done=is_done):
            excused += 1
        elif found is not None and found.state in _UNFETCHED and not is_done:
            waiting += 1
        else:
            missing.append(f"{url} ({sort_of(world, index)}) {_fate(found)}")
    lost = [*_counted("pages lost", missing), *_counted("dead hosts forgotten", _forgotten(world, seeds, stored))]
    lost += _counted("pages of hosts that cannot be reached", _impossible(world, stored))
    lost += _counted("living hosts blamed", blame.examples) if blame.hosts else []
    lost += [f"{count} × {what}: {manners.examples[:1]}" for what, count in manners.violations.items()]
    lost += _bad_ends(exit_codes, nothing_to_fetch=not (pages or missing))
    lost += [f"it printed {words!r}" for words in _BUG if words in output]
    return Seen(pages, excused, waiting, passing, exit_codes, lost)


def _within_reach(world: World, seeds: Iterable[str], stored: Mapping[str, Stored]) -> Iterator[tuple[int, str]]:
    """Yield the pages of living hosts that the seeds and fetched pages lead to: host index, URL."""
    roots = [world.host_url(host) for host in world.hosts]
    index_of = {root: index for index, root in enumerate(roots)}
    web = SmallWeb(world, roots)
    ahead = [(index_of[seed], 0) for seed in seeds]
    seen = set(ahead)
    while ahead:
        index, number = ahead.pop()
        host = world.hosts[index]
        if not lives(world, host):
            continue
        url = base_of(world, host) + path_of(number)
        yield index, url
        if url in stored and stored[url].state == "fetched":
            own = ((index, to) for path in web.own_links(index, number) if (to := number_of(path)) is not None)
            found = {*own, *((index_of[root], 0) for root in web.links_abroad(index, number))} - seen
            seen |= found
            ahead += sorted(found)


def _withholds(quirk: Quirk, found: Stored, *, is_done: bool) -> bool:
    """Whether a page was not fetched because its host is as it is."""
    if found.state in _UNFETCHED and not found.outcome:
        return quirk in _WITHHOLDING and not is_done
    return bool(found.outcome) and is_rightly_said(quirk, found.outcome)


def _fate(found: Stored | None) -> str:
    return "is not in the store" if found is None else f"is {found.state} {found.outcome}".rstrip()


def _forgotten(world: World, seeds: Iterable[str], stored: Mapping[str, Stored]) -> list[str]:
    """Seeds of hosts that cannot be reached, of which the store knows nothing."""
    dead = {world.host_url(host) for host in world.hosts if not lives(world, host)}
    return [seed for seed in seeds if seed in dead and seed not in stored]


def _impossible(world: World, stored: Mapping[str, Stored]) -> list[str]:
    dead = [base_of(world, host) + "/" for host in world.hosts if not lives(world, host)]
    return [url for url, found in stored.items() if found.state == "fetched" and url.startswith(tuple(dead))]


def _bad_ends(exit_codes: Sequence[int], *, nothing_to_fetch: bool) -> list[str]:
    good = _GOOD_ENDS | {_NOTHING_FETCHED} if nothing_to_fetch else _GOOD_ENDS
    return [f"it ended with {code}" for code in exit_codes if code not in good]


def _counted(what: str, examples: Sequence[str]) -> list[str]:
    return [f"{len(examples)} {what}: {'; '.join(examples[:_SHOWN])}"] if examples else []
