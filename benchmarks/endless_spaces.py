"""Endless spaces of many kinds, crawled in memory with and without the guard against them.

    python -m benchmarks.endless_spaces                   # kinds of spaces beside a real site, three orders
    python -m benchmarks.endless_spaces --store FILE      # a finished crawl again: is anything real held back?

Every space is a function from a path to a page. It lies beside a small finite site on one host; the table says how many
requests went into the space until the crawl ended, and how many of the site's pages were fetched.
"""

from __future__ import annotations

import argparse
import sqlite3
import time
from array import array
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence

from hinterland.crawler.features.traps.settings import TrapSettings
from hinterland.crawler.parsing.text_hashes import Interest
from hinterland.storage.values.compression import unpacked_bytes
from tests.support.crawl_in_memory import ORDERS, Result, Web, crawl, crawl_space
from tests.support.endless_webs import HOST, SITE, SITE_PAGES, SPACES


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
    """Crawl endless spaces, or replay the crawl of a store, and print what the guard does to them."""
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
