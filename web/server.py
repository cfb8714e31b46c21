"""Runs the application on a socket."""

from __future__ import annotations

import asyncio
import logging
import signal
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager

from aiohttp import web
from aiohttp.http_exceptions import BadHttpMessage

_SHUTDOWN_SECONDS = 2.0


_logger = logging.getLogger(__name__)


def _is_news(record: logging.LogRecord) -> bool:
    """Return whether a log record is worth showing.

    Records about malformed HTTP are not: the client gets status 400.
    """
    return record.exc_info is None or not isinstance(record.exc_info[1], BadHttpMessage)


_logger.addFilter(_is_news)


class CannotListen(Exception):
    """The server cannot listen on the address or port; the message says why."""

    def __init__(self, reason: str, port: int) -> None:
        """Take the reason, and the port."""
        self.port = port
        super().__init__(reason)


async def serve(
    app: web.Application,
    host: str,
    port: int,
    ready: Callable[[int], None],
    beside: tuple[web.Application, int] | None = None,
) -> None:
    """Serve the application until SIGINT or SIGTERM.

    `ready` is called once with the actual port; port 0 takes any free port. `beside` is a second application to serve,
    with its port. Work for a client that has disconnected is cancelled. Raises CannotListen.
    """
    async with AsyncExitStack() as stack:
        if beside is not None:
            await stack.enter_async_context(_listening(beside[0], host, beside[1]))
        own_port = await stack.enter_async_context(_listening(app, host, port))
        told = asyncio.Event()
        loop = asyncio.get_running_loop()
        for number in (signal.SIGINT, signal.SIGTERM):
            loop.add_signal_handler(number, told.set)
        ready(own_port)
        await told.wait()


@asynccontextmanager
async def _listening(app: web.Application, host: str, port: int) -> AsyncIterator[int]:
    """Serve an application inside the with block, and yield its port."""
    runner = web.AppRunner(
        app, access_log=None, logger=_logger, shutdown_timeout=_SHUTDOWN_SECONDS, handler_cancellation=True
    )
    await runner.setup()
    try:
        try:
            await web.TCPSite(runner, host, port).start()
        except OSError as error:
            raise CannotListen(error.strerror or str(error), port) from error
        except UnicodeError as error:  # the name has an empty or overlong label
            raise CannotListen(f"{host!r} is not the name of a host", port) from error
        yield int(runner.addresses[0][1])
    finally:
        await runner.cleanup()
