"""The connections of a crawl: idle ones are bounded, so that a new one can always be opened."""

from __future__ import annotations

import resource
from typing import Any

import aiohttp
from aiohttp.client_proto import ResponseHandler
from aiohttp.client_reqrep import ConnectionKey

_FEW = 256


class KeptConnections(aiohttp.TCPConnector):
    """Keeps connections to as many hosts as half of the files that this process may open; then the one that has been
    idle for longest goes.

    With many hosts of which each rests for long, half a minute of idle connections is more than most systems let a
    process have, and a host to which none can be opened would be blamed for it. aiohttp has no bound for idle ones: its
    own limit lets requests wait. A private method, see `aiohttp_parts`.
    """

    def _release(self, key: ConnectionKey, protocol: ResponseHandler, **how: Any) -> None:
        super()._release(key, protocol, **how)
        kept = self._conns
        if len(kept) > _FEW:
            most = resource.getrlimit(resource.RLIMIT_NOFILE)[0] // 2
            while len(kept) > most > 0:
                for oldest, _ in kept.pop(next(iter(kept))):  # they stand in the order in which they became idle
                    oldest.close()
