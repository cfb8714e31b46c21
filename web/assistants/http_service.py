"""The MCP server as an ASGI application (Streamable HTTP), for a web server that controls access.

It keeps no sessions: each request is answered by one JSON document, independently of earlier requests.
"""

from __future__ import annotations

from contextlib import AbstractAsyncContextManager
from typing import Final

from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp.server.transport_security import TransportSecuritySettings
from starlette.types import Receive, Scope, Send

from hinterland.web.assistants.asked_stores import AskedStores
from hinterland.web.assistants.server import StoreServer

PATH: Final = "/mcp"


class HttpService:
    """An ASGI application that answers at `path` while its context `running` is entered."""

    path = PATH

    def __init__(self, stores: AskedStores) -> None:
        """Take the stores. The web server around this application must check the Host and Origin of requests."""
        guards = TransportSecuritySettings(enable_dns_rebinding_protection=False)
        self._manager = StreamableHTTPSessionManager(
            StoreServer(stores).server, json_response=True, stateless=True, security_settings=guards
        )

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        await self._manager.handle_request(scope, receive, send)

    def running(self) -> AbstractAsyncContextManager[None]:
        """Return the context manager in which requests can be answered; it can be entered only once."""
        return self._manager.run()
