"""A store as a crawl of any size leaves it, without the crawl: random, and written by the store's own writer.

There are three URLs and twelve links for each fetched page. Hosts are of unequal size (Zipf's law), links lead to early
pages more often than to late ones, one body in ten is a copy, one visit in eleven redirects or fails, some hosts fail
or are given up with their last error, some known pages wait, and the local pages are ranked by two estimators besides
"local". The same plan makes the same rows.
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hinterland.analysis.rank_codec import packed
from hinterland.crawler.frontier.scores import scores_of
from hinterland.crawler.frontier.visits import FrontierCounts
from hinterland.crawler.loop.decisions.endings import EndReason
from hinterland.crawler.loop.decisions.progress_record import ProgressRecord
from hinterland.crawler.loop.decisions.statistics import CrawlStatistics
from hinterland.crawler.settings import Settings, to_json
from hinterland.storage.link_store import LinkStore
from hinterland.storage.values.compression import packed as packed_text
from hinterland.storage.values.hosts import HostStateRecord
from hinterland.storage.values.records import (
    ContentRecord,
    DiscoveriesRecord,
    EstimateRecord,
    HostRecord,
    LinkColumns,
    PageRecord,
    RankRecord,
    Record,
    RobotsRecord,
    VisitRecord,
)

IntArray = NDArray[np.int64]

BEGIN = 1_790_000_000.0
"""When the crawl began, epoch seconds."""
ESTIMATORS = ("outside-model", "crawled-graph")
_SEEDS = 5
_AT_ONCE = 2_000
_REFRESHES = 24
_LOCAL_HOSTS, _OUTSIDE_HOSTS = 250, 20
"""Fetched pages per local host and per outside host."""
_OUTCOMES = (
    ("fetched", 200, 0.908, "fetched"),
    ("other_type", 200, 0.012, "fetched"),
    ("redirected", 301, 0.045, "redirected"),
    ("client_error", 404, 0.018, "failed"),
    ("client_error", 403, 0.003, "failed"),
    ("server_error", 500, 0.003, "failed"),
    ("connect_timeout", None, 0.002, "failed"),
    ("tls_failure", None, 0.001, "failed"),
    ("robots", None, 0.008, "refused"),
)
"""(outcome, status, share, state)."""
_WORDS = (
    *("harbour", "index", "table", "river", "garden", "archive", "signal", "copper", "meadow", "lantern"),
    *("winter", "market", "engine", "paper", "island", "bridge", "letter", "window", "orchard", "compass"),
    *("valley", "thread", "mirror", "station", "kettle", "forest", "ladder", "pebble", "rocket", "saddle"),
    *("tunnel", "violin", "walnut", "yarn", "zephyr", "anchor", "barley", "candle", "dragon", "ember"),
)


@dataclass(frozen=True, slots=True)
class StorePlan:
    """A plan; about `pages` are fetched. If killed, the last run built nothing at its end."""

    pages: int
    seed: int = 1
    is_killed: bool = False

    @property
    def urls(self) -> int:
        """The number of URLs."""
        return 3 * self.pages + _SEEDS


async def make_store(path: Path, plan: StorePlan) -> None:
    """Write the store of a plan into a new file."""
    web = _Web(plan)
    async with LinkStore(path) as store:
        run = await store.begin_run(["crawl", "https://host0.example/"], to_json(Settings()), BEGIN)
        for records in web.records():
            await store.write(records)
        now = BEGIN + web.visits / 100
        if plan.is_killed:
            await store.report_progress(run, web.progress(), now)
        else:
            await store.end_run(run, EndReason.STOPPED.label, web.progress(), now)


class _Web:
    """What was found, as columns by page number; `order` and what begins with visit_ by visit."""

    def __init__(self, plan: StorePlan) -> None:
        self._generator = np.random.default_rng(plan.seed)
        self._random = random.Random(plan.seed)
        self.urls = plan.urls
        self.visits = round(plan.pages / (_OUTCOMES[0][2] + _OUTCOMES[1][2]))
        local, outside = max(3, plan.pages // _LOCAL_HOSTS), max(3, plan.pages // _OUTSIDE_HOSTS)
        self.is_local = self._generator.random(self.urls) < 0.5
        self.is_local[:_SEEDS] = True
        self.page_hosts = np.where(self.is_local, self._zipf(local), local + self._zipf(outside))
        self.order = self._drawn_order()
        self.finders = self._drawn_finders()
        self.outcomes = self._generator.choice(len(_OUTCOMES), self.visits, p=[each[2] for each in _OUTCOMES])
        self.outcomes[:_SEEDS] = 0
        self.depths = np.minimum(1 + np.log2(1 + np.arange(self.urls) / 50).astype(np.int64), 12)
        self.depths[:_SEEDS] = 0
        self.host_count = local + outside
        self._hosts_by_page = self._renumber_hosts()
        self._texts = [" ".join(self._random.choices(_WORDS, k=40)) for _ in range(2_000)]
        self._is_visited = np.zeros(self.urls, np.bool_)
        self._is_visited[self.order] = True
        self._waits = ~self._is_visited & (self._generator.random(self.urls) < np.where(self.is_local, 0.8, 0.01))
        self._fetched_of_host = np.zeros(self.host_count, np.int64)

    def _zipf(self, hosts: int) -> IntArray:
        """Return a host for each page; the k-th largest has a share of about 1/k."""
        shares = np.cumsum(1.0 / np.arange(1, hosts + 1))
        return np.asarray(np.searchsorted(shares, self._generator.random(self.urls) * shares[-1]), np.int64)

    def _drawn_order(self) -> IntArray:
        """Return the visited pages in the order of their visits: ascending, favouring early and local ones."""
        weights = (1.0 - np.arange(self.urls) / self.urls) * np.where(self.is_local, 3.0, 1.0) + 1e-9
        weights[:_SEEDS] = 1e9
        keys = self._generator.exponential(size=self.urls) / weights
        return np.asarray(np.sort(np.argpartition(keys, self.visits - 1)[: self.visits]), np.int64)

    def _drawn_finders(self) -> IntArray:
        """Return the visit that discovered each page, -1 for seeds.

        It is never later than the visit before its own.
        """
        visited_before = np.zeros(self.urls, np.int64)
        visited_before[self.order] = 1
        visited_before = np.cumsum(visited_before) - visited_before
        found = np.arange(self.urls) * self.visits // self.urls
        finders = np.maximum(np.minimum(found, visited_before - 1), 0)
        finders[:_SEEDS] = -1
        return np.asarray(finders, np.int64)

    def _renumber_hosts(self) -> IntArray:
        """Hosts get their numbers in the order of discovery; returns the first page of each."""
        hosts, first, places = np.unique(self.page_hosts, return_index=True, return_inverse=True)
        rank = np.empty(len(hosts), np.int64)
        rank[np.argsort(first)] = np.arange(len(hosts))
        self.page_hosts = rank[places]
        self.host_count = len(hosts)
        return np.sort(first)

    # ---------------------------------------------------------------- records

    def records(self) -> Iterator[list[Record]]:
        """Batch by batch, as a crawl would hand them on."""
        yield [DiscoveriesRecord(self._new_hosts(0, _SEEDS), self._new_pages(0, _SEEDS, None))]
        ends = np.searchsorted(self.finders, np.arange(self.visits), side="right")
        batch: list[Record] = []
        first = _SEEDS
        for visit in range(self.visits):
            end = int(ends[visit])
            batch.append(self._visit(visit, first, end))
            first = end
            if len(batch) == _AT_ONCE:
                yield batch
                batch = []
        yield batch
        yield list(self._robots())
        yield from ([each] for each in self._ranks())

    def _url(self, page: int, host: int) -> str:
        words = _WORDS[page % 40], _WORDS[page // 40 % 40]
        return f"https://host{host}.example/{words[0]}/{words[1]}-{page}.html"

    def _new_hosts(self, first: int, end: int) -> list[HostRecord]:
        numbers = range(*np.searchsorted(self._hosts_by_page, (first, end)).tolist())
        return [HostRecord(number, f"https://host{number}.example", f"host{number}.example") for number in numbers]

    def _new_pages(self, first: int, end: int, referrer: int | None) -> list[PageRecord]:
        visited = self._is_visited[first:end] | self._waits[first:end]
        columns = zip(
            range(first, end),
            self.page_hosts[first:end].tolist(),
            np.where(visited, "waiting", "known").tolist(),
            self.is_local[first:end].astype(int).tolist(),
            self.depths[first:end].tolist(),
            strict=True,
        )
        return [
            PageRecord(page, self._url(page, host), host, state, local, depth, referrer, 0)
            for page, host, state, local, depth in columns
        ]

    def _visit(self, visit: int, first: int, end: int) -> VisitRecord:
        page = int(self.order[visit])
        host = int(self.page_hosts[page])
        outcome, status, _, state = _OUTCOMES[self.outcomes[visit]]
        is_read = outcome == "fetched"
        at = BEGIN + visit / 100
        self._fetched_of_host[host] += status is not None
        chance = self._random.random()
        body = page if chance > 0.1 else int(50 * chance) ** 3  # a few bodies are copied very often
        retry_at = at + 600 if state == "failed" and chance > 0.8 else None
        is_silent = status is None and state == "failed"
        detail = "" if status == 200 else f"HTTP {status}" if status else f"{outcome} of host {host}"
        return VisitRecord(
            visit=visit + 1,
            page=page,
            state=state,
            outcome=outcome,
            detail=detail,
            attempt=1,
            started_at=at,
            seconds=0.08 + chance / 5,
            host_state=HostStateRecord(
                number=host,
                address=f"192.0.{host % 250}.1",
                next_fetch=at + 1,
                rest_seconds=1.0,
                failures=int(retry_at is not None or is_silent),
                pages_fetched=int(self._fetched_of_host[host]),
                is_given_up=is_silent and chance > 0.5,
                last_error=f"{outcome}: {detail}" if is_silent or outcome == "server_error" else None,
            ),
            retry_at=retry_at,
            status=status,
            content_type="text/html; charset=utf-8" if status == 200 else None,
            charset="utf-8" if is_read else None,
            wire_bytes=4_000,
            body_bytes=16_000,
            body_hash=sha256(str(body).encode()).digest()[:16] if is_read else None,
            etag=f'"{page:x}"',
            redirect_target=first if outcome == "redirected" and end > first else None,
            title=f"{_WORDS[page % 40].title()} {_WORDS[page // 40 % 40]} {page}" if is_read else None,
            description=self._texts[page % 2_000][:90] if is_read and chance > 0.5 else None,
            language="en" if is_read else None,
            links=self._links(page, first, end, outcome),
            content=self._content(page) if is_read else None,
            new_hosts=self._new_hosts(first, end),
            new_pages=self._new_pages(first, end, page),
        )

    def _links(self, page: int, first: int, end: int, outcome: str) -> LinkColumns | None:
        if outcome == "redirected":
            return LinkColumns([first], b"\x08", b"\0", [""]) if end > first else None
        if outcome != "fetched":
            return None
        chance = self._random.random
        known = [int(first * chance() ** 3) for _ in range(min(first, int(4 + 17 * chance() ** 1.2)))]
        targets = list(dict.fromkeys((*range(first, end), *known)))
        nofollow = bytes(target % 23 == 0 for target in targets)
        return LinkColumns(targets, bytes(len(targets)), nofollow, [_WORDS[target % 40] for target in targets])

    def _content(self, page: int) -> ContentRecord:
        parts = [self._texts[(page * step) % 2_000] for step in (1, 7, 11)]
        headings = [[level, f"{_WORDS[(page + level) % 40]} {page % 97}"] for level in (1, 2, 2, 3)]
        return ContentRecord(packed_text("\n".join(parts)), json.dumps(headings), None)

    def _robots(self) -> Iterator[RobotsRecord]:
        for host in np.unique(self.page_hosts[self.order]).tolist():
            text = f"User-agent: *\nDisallow: /private\nDisallow: /search?\n# host {host}\n".encode()
            yield RobotsRecord(host, 200, BEGIN, BEGIN + 86_400, text, None, [])

    # ---------------------------------------------------------------- ranks

    def _ranks(self) -> Iterator[Record]:
        fetched = self.order[(self.outcomes == 0) & self.is_local[self.order]].astype(np.int32)
        site = self._generator.pareto(1.1, len(fetched)) + 0.1
        for refresh in range(1, _REFRESHES + 1):
            part = fetched[: len(fetched) * refresh // _REFRESHES]
            ranks = site[: len(part)] * np.exp(self._generator.normal(0, 1.0 / refresh, len(part)))
            visit = self.visits * refresh // _REFRESHES
            yield EstimateRecord(
                visit, len(part), visit // 5, ESTIMATORS[0], None if refresh == 1 else 0.5 / refresh**2,
                0.8 / refresh, 12.0, BEGIN + visit / 100, packed(part, ranks / ranks.sum()),
            )  # fmt: skip
        for estimator, spread in (("local", 0.0), *zip(ESTIMATORS, (0.7, 0.4), strict=True)):
            ranks = site * np.exp(self._generator.normal(0, spread, len(fetched))) if spread else site
            yield RankRecord(estimator, fetched.tolist(), (ranks / ranks.sum()).tolist())

    # ---------------------------------------------------------------- the run

    def progress(self) -> dict[str, Any]:
        """Return the last progress record of the crawl."""
        record = ProgressRecord()
        told = [record.as_json(self._statistics(share / 100)) for share in range(1, 101)]
        waiting = np.flatnonzero(self._waits).astype(np.int32)
        return told[-1] | {"frontier_scores": asdict(scores_of(waiting, -self.depths[waiting].astype(np.float64)))}

    def _statistics(self, share: float) -> CrawlStatistics:
        visits = int(self.visits * share)
        counts = np.bincount(self.outcomes[:visits], minlength=len(_OUTCOMES)).tolist()
        outcomes: dict[str, int] = {}
        for (outcome, *_), count in zip(_OUTCOMES, counts, strict=True):
            outcomes[outcome] = outcomes.get(outcome, 0) + count
        waiting = int(self._waits.sum())
        return CrawlStatistics(
            seconds=visits / 100, policy="bfs", pages_fetched=counts[0], fetched_before=0, max_pages=None,
            pages_known=self.urls, pages_local=int(self.is_local.sum()), visits=visits, outcomes=outcomes, retries=0,
            robots_fetched=self.host_count, host_failures={"dns_failure": 3}, wire_bytes=4_000 * visits,
            body_bytes=16_000 * visits, links=12 * visits, bad_links=visits // 50, refreshes=0, refresh_seconds=0.0,
            parser_restarts=0, parser_backlog=0,
            frontier=FrontierCounts(waiting, 0, 0, 0, self.host_count, 20, 0, self.host_count - 20, 0, 0),
        )  # fmt: skip
