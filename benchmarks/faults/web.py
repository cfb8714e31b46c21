"""The web that is crawled while faults happen: `python -m benchmarks.faults.web --help`.

A random graph of pages on a few hosts, most of them linked from one page only, so that a page given up wrongly
takes others with it; besides, redirects, missing pages and pages that a robots.txt forbids. Two processes serve
it, each at an address of its own: one all hosts but the last, the other the last one.

SIGUSR1 lets every answer, but that to a request for a robots.txt, have the status that stands in the file beside the
log, until SIGUSR2.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import signal
from collections import defaultdict
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Final

from tests.support.web import Answer, Handler, LoopbackWeb, Request, graph_page, random_graph

FIRST, SECOND = "127.0.0.1", "127.0.0.2"
FORBIDDEN: Final = "/private/"
_WORDS: Final = ("anchor", "beacon", "current", "drift", "ebb", "fathom", "gale", "harbour", "inlet", "jetty", "keel")


@dataclass(frozen=True, slots=True)
class WebPlan:
    """What is served.

    `flood` is the number of links to forbidden pages on every page of the second host. `edited` is the web at a later
    time: some pages have changed, some are gone (410) or not found (404), and some link to a new one.
    """

    port: int
    hosts: int = 8
    pages_per_host: int = 20
    flood: int = 0
    edited: bool = False

    @property
    def pages(self) -> int:
        """The number of pages of all hosts."""
        return self.hosts * self.pages_per_host

    @property
    def addresses(self) -> dict[str, str]:
        """Host name -> address, as in a hosts file."""
        last = self.hosts - 1
        return {f"h{host}.test": SECOND if host == last else FIRST for host in range(self.hosts)}

    @property
    def seed(self) -> str:
        """The URL of the first page."""
        return self.url(0)

    def url(self, page: int) -> str:
        """Return the URL of a page by number."""
        host, path = graph_page(page, self.pages_per_host)
        return f"http://{host}:{self.port}{path}"


class FaultyWeb(LoopbackWeb):
    """A LoopbackWeb that can be told to answer everything with one status."""

    status: int | None = None

    def handler(self, host: str, path: str) -> Handler:
        """Return the usual handler, or one that answers with an error status."""
        if self.status is None or path == "/robots.txt":
            return super().handler(host, path)
        return Answer(f"<title>{self.status}</title>".encode(), self.status)


def status_file(log: Path) -> Path:
    """Return the file that sets the error status, next to a log."""
    return log.with_suffix(".status")


def fill(web: LoopbackWeb, plan: WebPlan) -> None:
    """Define all pages of the plan that live at the address the web listens on."""
    draw = random.Random(1)
    targets = defaultdict[int, list[str]](list)
    for source, target in zip(*random_graph(7, plan.pages), strict=True):
        targets[source].append(plan.url(target))
    address = web.addresses
    for page in range(plan.pages):
        host, path = graph_page(page, plan.pages_per_host)
        links = targets[page] + [f"/gone{page % 3}", f"{FORBIDDEN}{page % 2}", f"/moved{page % 4}"]
        words = " ".join(draw.choices(_WORDS, k=400))
        if host == "h1.test":
            links += [f"{FORBIDDEN}{page}/{number}" for number in range(plan.flood)]
        if host not in address:
            continue
        anchors = "".join(f'<li><a href="{link}">link {number}</a></li>' for number, link in enumerate(links))
        html = (
            f"<!doctype html><title>Page {page}</title><h1>Page {page}</h1><p>{words} word{page}</p><ul>{anchors}</ul>"
        )
        if plan.edited and page and page % _EDITED == 0:
            kind = page // _EDITED % len(_EDITS)
            _EDITS[kind](web, host, path, html)
        else:
            web.page(host, path, html=html)
        web.redirect(host, f"/moved{page % 4}", path)
    for host in list(address):
        web.robots(host, f"User-agent: *\nDisallow: {FORBIDDEN}\n")


def _revised(web: LoopbackWeb, host: str, path: str, html: str) -> None:
    """Says something else, and links to a page that was not there."""
    new = f"{path}-new"
    web.page(host, path, html=html.replace("<p>", f'<p>Revised in all its parts: <a href="{new}">new</a>. ' * 3))
    web.page(host, new, html=html.replace("Page", "New page"))


def _gone(web: LoopbackWeb, host: str, path: str, _html: str) -> None:
    web.page(host, path, html="gone", status=410)


def _not_found(web: LoopbackWeb, host: str, path: str, _html: str) -> None:
    web.page(host, path, html="not found", status=404)


_EDITED: Final = 2
"""Every other page, and so in turn."""
_EDITS: Final = (_revised, _gone, _revised, _not_found)


async def serve(plan: WebPlan, address: str, log: Path) -> None:
    """Serve the hosts of one address until SIGTERM; says `ready` when open."""
    with log.open("a", encoding="utf-8") as lines:

        def write(request: Request) -> None:
            print(json.dumps(asdict(request)), file=lines, flush=True)

        web = FaultyWeb(addresses=(address,), port=plan.port, latency=0.005, on_finished=write)
        for host, at in plan.addresses.items():
            if at == address:
                web.host(host)
        fill(web, plan)
        async with web:
            stopped = asyncio.Event()
            loop = asyncio.get_running_loop()
            loop.add_signal_handler(signal.SIGTERM, stopped.set)
            loop.add_signal_handler(signal.SIGUSR1, lambda: setattr(web, "status", int(status_file(log).read_text())))
            loop.add_signal_handler(signal.SIGUSR2, setattr, web, "status", None)
            print("ready", flush=True)
            await stopped.wait()


def main() -> None:
    """Serve the web of a plan until interrupted."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("plan", help="JSON of a WebPlan")
    parser.add_argument("address", choices=(FIRST, SECOND))
    parser.add_argument("log", type=Path, help="gets one line of JSON for each request")
    arguments = parser.parse_args()
    with suppress(KeyboardInterrupt):
        asyncio.run(serve(WebPlan(**json.loads(arguments.plan)), arguments.address, arguments.log))


if __name__ == "__main__":
    main()
