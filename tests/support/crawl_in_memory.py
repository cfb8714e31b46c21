"""Crawls one host in memory, with and without the guard against endless spaces."""

from __future__ import annotations

import heapq
import random
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Final

from hinterland.crawler.features.traps.guard import Priority, TrapGuard
from hinterland.crawler.features.traps.settings import TrapSettings
from hinterland.crawler.parsing.text_hashes import Interest, text_hashes
from tests.support.endless_webs import HOST, SPACES, web_with

Web = Callable[[str], tuple[bytes, list[str]] | str | None]
"""A URL to its text and links, to where it redirects, or to nothing that is read."""

ORDERS: Final = ("bfs", "dfs", "random")


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

    def meet(urls: Iterable[str]) -> Priority | None:
        """The priority of the last one that is new."""
        last = None
        for url in dict.fromkeys(urls):
            number = found.setdefault(url, len(names))
            if number < len(names):
                again.add(number)
                continue
            names.append(url)
            last = priority = guard.found(0, url) if settings else Priority.NORMAL
            heapq.heappush(heap, (int(priority is not Priority.NORMAL), key(number), number))
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
            priority = guard.priority(shape)
            if priority is Priority.SUSPENDED:
                guard.set_aside(shape, number)
                continue
            if priority is Priority.LOW and not band:
                heapq.heappush(heap, (1, key(number), number))
                continue
        requests.append(url)
        answer = web(url)
        if answer is None:
            guard.done(shape)
            continue
        if isinstance(answer, str):
            priority_there = meet([answer])
            if priority_there is not None:
                guard.moved(0, shape, priority_there)
            guard.done(shape)
            continue
        text, links = answer
        meet(links)
        if settings:
            interest = guard.interest(shape)
            asked[interest] += 1
            guard.read(0, shape, text_hashes(text, text, interest), is_linked_once=number not in again)
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
