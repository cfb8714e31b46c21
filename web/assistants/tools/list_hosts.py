"""`list_hosts`: the hosts that a crawl knows, and how much of each it has fetched."""

from __future__ import annotations

from typing import Annotated, Final, Literal

from msgspec import Meta

from hinterland.storage.reading.reader import StoreReader
from hinterland.storage.values.hosts import Host
from hinterland.web.assistants.asked_stores import AskedStore, AskedStores
from hinterland.web.assistants.bounding import fitting
from hinterland.web.assistants.tool import Tool
from hinterland.web.assistants.values import Answer, Arguments, Limit, NextAfter, PageFacts, StoreName


class HostsArguments(Arguments, frozen=True, kw_only=True):
    """Arguments of `list_hosts`."""

    contains: Annotated[str, Meta(max_length=200, description="Only hosts whose URL contains this.")] = ""
    order: Annotated[
        Literal["pages", "failures", "name"], Meta(description="By pages fetched, failures in a row, or name.")
    ] = "pages"
    with_unvisited: Annotated[bool, Meta(description="Also list hosts that were never visited.")] = False
    store: StoreName = ""
    limit: Limit = 20
    after: Annotated[
        int, Meta(ge=0, le=10_000_000, description="Hosts to skip: next_after of the previous answer.")
    ] = 0


class KnownHost(PageFacts, frozen=True, kw_only=True):
    """A host, with the title, date and rank of its front page."""

    pages_fetched: int
    waiting: Annotated[int, Meta(description="Pages that wait to be fetched.")]
    failures: Annotated[int, Meta(description="Failures in a row, up to now.")]
    is_given_up: bool
    last_error: str
    robots_status: Annotated[int | None, Meta(description="HTTP status of its robots.txt; null if never fetched.")]


class Hosts(Answer, frozen=True, kw_only=True):
    """Hosts that a crawl knows."""

    hosts: tuple[KnownHost, ...]
    total: int
    next_after: NextAfter


def _answer(stores: AskedStores, asked: HostsArguments) -> Hosts:
    home = stores.one(asked.store)
    part, only_visited = asked.contains.strip().lower(), not asked.with_unvisited
    with home.reading() as store:
        found = store.hosts.listed(asked.order, asked.after, asked.limit, only_visited=only_visited, part=part)
        total = store.hosts.count(only_visited=only_visited, part=part)
        waiting = store.hosts.waiting()
        hosts = fitting([_known(home, store, host, waiting.get(host.number, 0)) for host in found])
    shown = asked.after + len(hosts)
    return Hosts(
        store=home.name, hosts=tuple(hosts), total=total, next_after=shown if hosts and shown < total else None
    )


def _known(home: AskedStore, store: StoreReader, host: Host, waiting: int) -> KnownHost:
    number = store.pages.number_of(f"{host.url}/")
    front = None if number is None else home.facts(store, list(store.pages.named([number]).values()))[number]
    return KnownHost(
        url=host.url,
        title="" if front is None else front.title,
        fetched=None if front is None else front.fetched,
        rank=None if front is None else front.rank,
        pages_fetched=host.pages_fetched,
        waiting=waiting,
        failures=host.failures,
        is_given_up=host.is_given_up,
        last_error=host.last_error or "",
        robots_status=host.robots_status,
    )


LIST_HOSTS: Final = Tool(
    title="List hosts",
    description="List the hosts of a crawl: pages fetched and waiting, failures, and which were given up.",
    arguments=HostsArguments,
    answers=Hosts,
    answer=_answer,
)
