"""The connections of a crawl: idle ones are limited, so that a new one can always be opened."""

from __future__ import annotations

import resource
from typing import Any

import aiohttp
from aiohttp.client_proto import ResponseHandler
from aiohttp.client_reqrep import ConnectionKey

_FEW = 256


class KeptConnections(aiohttp.TCPConnector):
    """A connector that limits the hosts with idle connections to half as many as this process may open files.

    Beyond that, the connection that has been idle for longest is closed. With many hosts that rest for long, half a
    minute of idle connections is more than most systems allow a process; then no connection to a further host could be
    opened, and that host would be blamed. aiohttp has no limit for idle connections: its own limit makes requests wait.
    This overrides a private method, see `aiohttp_parts`.
    """

    def _release(self, key: ConnectionKey, protocol: ResponseHandler, **how: Any) -> None:
        super()._release(key, protocol, **how)
        kept = self._conns
        if len(kept) > _FEW:
            most = resource.getrlimit(resource.RLIMIT_NOFILE)[0] // 2
            while len(kept) > most > 0:
                for oldest, _ in kept.pop(next(iter(kept))):  # they stand in the order in which they became idle
                    oldest.close()
