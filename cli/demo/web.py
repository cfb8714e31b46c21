"""A small web of many hosts on loopback, for a first crawl that needs no internet."""

from __future__ import annotations

from types import TracebackType

from aiohttp import web

from hinterland.cli.demo.archipelago import HOSTS
from hinterland.cli.demo.pages import DemoAnswer, demo_pages, demo_seeds, url

LOOPBACK = "127.0.0.1"
NOT_FOUND = DemoAnswer(404, {"Content-Type": "text/html"}, b"<title>Lost at sea</title><p>There is no such page.")


class DemoWeb:
    """Serves the demo web inside a with block, all hosts through one socket.

    `addresses` maps the names of hosts to IP addresses, like a hosts file, for the crawler. All names end in .example,
    which RFC 2606 reserves for examples, so no real host has them.
    """

    seeds: tuple[str, ...] = ()  # URLs of the front pages of all hosts, once the block is entered

    def __init__(self, port: int = 0) -> None:
        """Take the port, which is part of every URL of the demo web; 0 means any free port."""
        self.port = port
        self.addresses = dict.fromkeys(HOSTS, LOOPBACK)

    async def __aenter__(self) -> DemoWeb:
        """Start serving."""
        self._runner = web.ServerRunner(web.Server(self._respond, access_log=None), shutdown_timeout=1.0)
        await self._runner.setup()
        await web.TCPSite(self._runner, LOOPBACK, self.port).start()
        self.port = self._runner.addresses[0][1]
        self._answers = demo_pages(self.port)
        self.seeds = tuple(url(place, self.port) for place in demo_seeds())
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Stop serving."""
        await self._runner.cleanup()

    async def _respond(self, request: web.BaseRequest) -> web.Response:
        host = request.host.rpartition(":")[0].lower()
        answer = self._answers.get((host, request.raw_path), NOT_FOUND)
        return web.Response(status=answer.status, headers=answer.headers, body=answer.body)
