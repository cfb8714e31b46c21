"""The private parts of aiohttp that a crawl relies on.

They are used for the corrections and recordings of `wire`, for the limit of idle connections, and to prevent a request
from being sent again without a rest.
"""

from __future__ import annotations

from aiohttp import BaseConnector, ClientSession
from aiohttp.client_proto import ResponseHandler

from hinterland.distribution.private_parts import require_parts


async def check_aiohttp() -> None:
    """Check that aiohttp has these parts; call it in the running loop. Raises MissingPackage."""
    async with ClientSession(connector=BaseConnector()) as session:
        connector = session.connector
        make = getattr(connector, "_factory", None)
        protocol = make() if callable(make) else None
        require_parts(
            "aiohttp",
            {
                "BaseConnector._factory": isinstance(protocol, ResponseHandler),
                "BaseConnector._conns": hasattr(connector, "_conns"),
                "BaseConnector._release": hasattr(connector, "_release"),
                "ResponseHandler._payload": hasattr(protocol, "_payload"),
                "ResponseHandler._loop": hasattr(protocol, "_loop"),
                "ResponseHandler._reading_paused": hasattr(protocol, "_reading_paused"),
                "ClientSession._retry_connection": hasattr(session, "_retry_connection"),
            },
        )
