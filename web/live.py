"""Server-sent events: one source of updates for all listeners."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress

from aiohttp import web

from hinterland.web.site import safe_json

_WRITE_SECONDS = 10.0


class TooManyListeners(Exception):
    """The maximum number of listeners is reached, so no further listener is accepted."""


class LiveUpdates:
    """Sends updates to all listeners. Mutable: it holds the listeners and the latest state.

    The store is not queried while nobody listens.
    """

    def __init__(
        self,
        look: Callable[[], Awaitable[Mapping[str, str]]],
        *,
        max_listeners: int = 24,
        interval_seconds: float = 1.0,
        heartbeat_seconds: float = 15.0,
    ) -> None:
        """Start without listeners.

        `look` returns the current texts by name. If it raises an exception, all listeners are disconnected, and the
        `serve` of one listener raises it.
        """
        self._look = look
        self._max_listeners = max_listeners
        self._interval_seconds = interval_seconds
        self._heartbeat_seconds = heartbeat_seconds
        self._latest: Mapping[str, str] = {}
        self._changed = asyncio.Event()
        self._looker: asyncio.Task[None] | None = None
        self._tasks: set[asyncio.Task[object]] = set()
        self.listeners = 0

    async def serve(self, request: web.Request) -> web.StreamResponse:
        """Send changes to one listener until it disconnects.

        Each event is a JSON object with everything that has changed since the previous event. So a slow client skips
        updates instead of accumulating them. A client that reads nothing for ten seconds is disconnected. Raises
        TooManyListeners.
        """
        if self.listeners >= self._max_listeners:
            raise TooManyListeners
        self.listeners += 1
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        try:
            if self._looker is None:
                self._looker = asyncio.create_task(self._keep_looking())
            response = web.StreamResponse(
                headers={"Content-Type": "text/event-stream", "Cache-Control": "no-store", "X-Accel-Buffering": "no"}
            )
            await response.prepare(request)
            with suppress(ConnectionError, TimeoutError):
                await self._tell(response, self._looker)
            return response
        finally:
            self._tasks.discard(task)
            self.listeners -= 1
            if not self.listeners and self._looker is not None:
                self._looker.cancel()
                self._looker = None

    async def close(self) -> None:
        """Close all connections. Clients reconnect by themselves when a server is running again."""
        for task in tuple(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _tell(self, response: web.StreamResponse, looker: asyncio.Task[None]) -> None:
        told: dict[str, str] = {}
        await _written(response, b"retry: 3000\n\n")
        while True:
            latest, changed = self._latest, self._changed
            news = {name: text for name, text in latest.items() if told.get(name) != text}
            if news:
                told.update(news)
                await _written(response, f"data: {safe_json(news)}\n\n".encode("ascii"))
            if looker.done():
                return looker.result()
            try:
                async with asyncio.timeout(self._heartbeat_seconds):
                    await changed.wait()
            except TimeoutError:
                await _written(response, b": still here\n\n")

    async def _keep_looking(self) -> None:
        try:
            while True:
                self._latest = await self._look()
                self._wake()
                await asyncio.sleep(self._interval_seconds)
        finally:
            self._latest = {}  # an old state is not an update
            asyncio.get_running_loop().call_soon(self._wake)

    def _wake(self) -> None:
        changed, self._changed = self._changed, asyncio.Event()
        changed.set()


async def _written(response: web.StreamResponse, data: bytes) -> None:
    async with asyncio.timeout(_WRITE_SECONDS):
        await response.write(data)
