"""The connections of a crawl. Idle connections are limited, so that a new one can always be opened."""

from __future__ import annotations

import asyncio
import resource
from typing import Any

import aiohttp
from aiohttp.client_proto import ResponseHandler
from aiohttp.client_reqrep import ClientRequest, ConnectionKey
from aiohttp.connector import AddrInfoType, Connection
from aiohttp.tracing import Trace

from hinterland.crawler.fetching.client.request import under_way
from hinterland.crawler.fetching.client.socks import ProxyFailed, socks_socket

_FEW = 256


class KeptConnections(aiohttp.TCPConnector):
    """A connector that limits the number of hosts with idle connections to half the number of files a process may open.

    Beyond that, the connection that has been idle for longest is closed. Otherwise a crawl of many hosts with long
    rests would reach the system's limit of open files. Then no connection to a further host could be opened, and the
    failure would count against that host. aiohttp does not limit idle connections alone: its own limit makes requests
    wait. This overrides a private method, see `aiohttp_parts`.

    It also closes a connection over which the request must not be sent because of its login (`login_peers`), and it
    connects through SOCKS proxies.
    """

    async def connect(self, req: ClientRequest, traces: list[Trace], timeout: aiohttp.ClientTimeout) -> Connection:
        """Return a connection for a request, new or kept alive. Raises ForbiddenAddress."""
        connection = await super().connect(req, traces, timeout)
        if (request := under_way.get()) is not None:
            try:
                request.check_peer(connection.transport)
            except OSError:
                connection.close()
                raise
        return connection

    async def _wrap_create_connection(
        self, *args: Any, addr_infos: list[AddrInfoType], req: ClientRequest, **how: Any
    ) -> tuple[asyncio.Transport, ResponseHandler]:
        request = under_way.get()
        proxy = None if request is None else request.access.proxy
        if request is None or proxy is None or proxy.scheme == "http":
            return await super()._wrap_create_connection(*args, addr_infos=addr_infos, req=req, **how)
        host, port = addr_infos[0][4][:2]
        try:
            opened = await socks_socket(proxy, str(host), int(port))
        except ProxyFailed as error:
            raise aiohttp.ClientProxyConnectionError(req.connection_key, error) from error
        return await super()._wrap_existing_connection(*args, req=req, sock=opened, **how)

    def _release(self, key: ConnectionKey, protocol: ResponseHandler, **how: Any) -> None:
        super()._release(key, protocol, **how)
        kept = self._conns
        if len(kept) > _FEW:
            most = resource.getrlimit(resource.RLIMIT_NOFILE)[0] // 2
            while len(kept) > most > 0:
                for oldest, _ in kept.pop(next(iter(kept))):  # hosts are in the order in which they became idle
                    oldest.close()
