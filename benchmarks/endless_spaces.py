"""Endless spaces of many kinds, crawled in memory with and without the guard against them.

    python -m benchmarks.endless_spaces                   # kinds of spaces beside a real site, three orders
    python -m benchmarks.endless_spaces --store FILE      # a finished crawl again: is anything real held back?

Every space is a function from a path to a page. It lies beside a small finite site on one host; the table says how many
requests went into the space until the crawl ended, and how many of the site's pages were fetched.
"""

from __future__ import annotations

import argparse
import heapq
import random
import sqlite3
import time
from array import array
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from benchmarks.endless_webs import HOST, SITE, SITE_PAGES, SPACES, web_with
from hinterland.crawler.features.traps.guard import TrapGuard, Turn
from hinterland.crawler.parsing.text_hashes import Interest, said
from hinterland.crawler.settings import TrapSettings
from hinterland.storage.values.compression import unpacked_bytes

Web = Callable[[str], tuple[bytes, list[str]] | str | None]
"""A URL to its text and links, to where it redirects, or to nothing that is read."""

ORDERS: Final = ("bfs", "dfs", "random")


# --- a crawl in memory ----------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Result:
    """requests: paths in order. left: pages that wait at the end. asked: pages by what was wanted of their text."""

    requests: list[str]
    left: int
    asked: Counter[Interest]
    guard: TrapGuard


def crawl(
    web: Web,
    seeds: Iterable[str],
    order: str,
    settings: TrapSettings | None,
    limit: int = 20_000,
) -> Result:
    """Visit one host's URLs in an order. settings: None for a crawl without guard."""
    guard = TrapGuard(settings or TrapSettings())
    dice = random.Random(5)
    found: dict[str, int] = {}
    names: list[str] = []
    again: set[int] = set()
    heap: list[tuple[int, float, int]] = []
    left = 0
    requests: list[str] = []
    asked: Counter[Interest] = Counter()

    def key(number: int) -> float:
        return {"bfs": float(number), "dfs": -float(number), "random": dice.random()}[order]

    def meet(urls: Iterable[str]) -> Turn | None:
        """The turn of the last one that is new."""
        last = None
        for url in dict.fromkeys(urls):
            number = found.setdefault(url, len(names))
            if number < len(names):
                again.add(number)
                continue
            names.append(url)
            last = turn = guard.found(0, url) if settings else Turn.NOW
            heapq.heappush(heap, (int(turn is not Turn.NOW), key(number), number))
        return last

    meet(seeds)
    while len(requests) < limit:
        if not heap:
            back = guard.take_back()
            if not back:
                break
            for number in back:
                heapq.heappush(heap, (1, key(number), number))
        band, _, number = heapq.heappop(heap)
        url = names[number]
        shape = guard.place(0, url) if settings else None
        if shape is not None:
            turn = guard.turn(shape)
            if turn is Turn.NEVER:
                guard.leave(shape, number)
                continue
            if turn is Turn.BEHIND and not band:
                heapq.heappush(heap, (1, key(number), number))
                continue
        requests.append(url)
        answer = web(url)
        if answer is None:
            guard.done(shape)
            continue
        if isinstance(answer, str):
            turn_there = meet([answer])
            if turn_there is not None:
                guard.moved(0, shape, turn_there)
            guard.done(shape)
            continue
        text, links = answer
        meet(links)
        if settings:
            interest = guard.interest(shape)
            asked[interest] += 1
            guard.read(0, shape, said(text, text, interest), is_linked_once=number not in again)
            guard.done(shape)
    left = guard.left + len(heap)
    return Result(requests, left, asked, guard)


def crawl_space(name: str, order: str, settings: TrapSettings | None, limit: int = 20_000) -> Result:
    """One of the spaces beside the site."""
    entry, space = SPACES[name]
    page = web_with(entry, space)

    def web(url: str) -> tuple[bytes, list[str]] | str:
        answer = page(url.removeprefix(HOST))
        if isinstance(answer, str):
            return HOST + answer
        return answer[0].encode(), [HOST + link for link in answer[1]]

    return crawl(web, [f"{HOST}/"], order, settings, limit)


def _compare(settings: TrapSettings, limit: int, orders: Sequence[str]) -> None:
    print(f"{'space':26}{'order':8}{'in vain':>9}{'unguarded':>11}{'before the site was done':>26}{'site':>9}")
    for name in SPACES:
        for order in orders:
            result = crawl_space(name, order, settings, limit)
            bare = crawl_space(name, order, None, limit)
            paths = [url.removeprefix(HOST) for url in result.requests]
            real = [place for place, path in enumerate(paths) if path in SITE]
            in_vain = len(paths) - len(real)
            before = max(real) + 1 - len(real)
            lost = sum(url.removeprefix(HOST) not in SITE for url in bare.requests)
            cut = "+" if bare.left else " "
            print(f"{name:26}{order:8}{in_vain:9,}{lost:10,}{cut}{before:26,}{len(real):5}/{SITE_PAGES}", flush=True)
            _tell_slowed(result, 3)


# --- a crawl of real sites again -----------------------------------------------------------------


def stored_webs(
    file: str,
) -> Iterator[tuple[str, list[str], Web, int]]:
    """(host, seeds, web, pages) of every host of a store of a finished crawl."""
    with sqlite3.connect(f"file:{file}?mode=ro", uri=True) as store:
        urls = {number: (url, host) for number, url, host in store.execute("SELECT id, url, host FROM page")}
        hosts = dict(store.execute("SELECT id, url FROM host"))
        visited = dict(store.execute("SELECT page, outcome FROM fetch"))
        targets: dict[int, array[int]] = defaultdict(lambda: array("i"))
        for source, target in store.execute("SELECT source, target FROM link WHERE nofollow = 0"):
            if target in visited:
                targets[source].append(target)
        moved = dict(store.execute("SELECT page, redirect_target FROM fetch WHERE redirect_target IS NOT NULL"))
        numbers = {urls[number][0]: number for number in visited}
        sizes = Counter(urls[number][1] for number, outcome in visited.items() if outcome == "fetched")
        entered: dict[int, list[str]] = defaultdict(list)
        for source, several in targets.items():
            for target in several:
                if urls[source][1] != urls[target][1]:
                    entered[urls[target][1]].append(urls[target][0])
        for (number,) in store.execute("SELECT id FROM page WHERE depth = 0"):
            entered[urls[number][1]].insert(0, urls[number][0])

        def text_of(number: int) -> bytes:
            row = store.execute("SELECT text FROM content WHERE page = ?", (number,)).fetchone()
            return unpacked_bytes(row[0]) if row else b""

        def web(url: str) -> tuple[bytes, list[str]] | str | None:
            number = numbers[url]
            here = urls[number][1]
            if moved.get(number) in visited and urls[moved[number]][1] == here:
                return str(urls[moved[number]][0])
            if visited[number] != "fetched":
                return None
            return text_of(number), [urls[each][0] for each in targets[number] if urls[each][1] == here]

        for host, pages in sizes.most_common():
            yield hosts[host], list(dict.fromkeys(entered[host])), web, pages


def _again(file: str, settings: TrapSettings, orders: Sequence[str]) -> None:
    print(f"{'host':40}{'order':8}{'pages':>8}{'visits':>8}{'slowed':>8}{'left':>6}{'text':>7}{'words':>7}")
    for host, seeds, web, pages in stored_webs(file):
        if pages < 100:
            continue
        for order in orders:
            result = crawl(web, seeds, order, settings, limit=10**9)
            suspects = result.guard.slowed()
            asked = result.asked
            print(
                f"{host:40}{order:8}{pages:8,}{len(result.requests):8,}{len(suspects):8}{result.left:6}"
                f"{asked[Interest.TEXT]:7,}{asked[Interest.WORDS]:7,}",
                flush=True,
            )
            _tell_slowed(result, 5)


def _tell_slowed(result: Result, count: int) -> None:
    for each in result.guard.slowed()[:count]:
        done = f"{each.visits} visits, {each.in_vain} in vain, {each.left_waiting} left"
        print(f"{'':34}{each.suspicion} {each.shape} ({done})")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--store", help="of a finished crawl of real sites")
    parser.add_argument("--patience", type=int, default=TrapSettings().patience)
    parser.add_argument("--order", action="append", choices=ORDERS)
    parser.add_argument("--limit", type=int, default=20_000, help="requests after which a crawl of a space is cut off")
    arguments = parser.parse_args()
    began = time.perf_counter()
    settings = TrapSettings(patience=arguments.patience)
    if arguments.store:
        _again(arguments.store, settings, arguments.order or ORDERS)
    else:
        _compare(settings, arguments.limit, arguments.order or ORDERS)
    print(f"{time.perf_counter() - began:.0f} s")


if __name__ == "__main__":
    main()
