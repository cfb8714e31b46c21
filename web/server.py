"""Runs the application on a socket."""

from __future__ import annotations

import asyncio
import logging
import signal
from collections.abc import Callable

from aiohttp import web
from aiohttp.http_exceptions import BadHttpMessage

_SHUTDOWN_SECONDS = 2.0


_logger = logging.getLogger(__name__)


def _is_news(record: logging.LogRecord) -> bool:
    """Return whether a log record is worth showing.

    Malformed HTTP is not: the client learns by status 400.
    """
    return record.exc_info is None or not isinstance(record.exc_info[1], BadHttpMessage)


_logger.addFilter(_is_news)


class CannotListen(Exception):
    """The server cannot listen on the address or port; the message says why."""


async def serve(app: web.Application, host: str, port: int, ready: Callable[[int], None]) -> None:
    """Serve until SIGINT or SIGTERM.

    `ready` is called once with the port, which is a free one for port 0. Work for a client that has disconnected is
    cancelled. Raises CannotListen.
    """
    runner = web.AppRunner(
        app, access_log=None, logger=_logger, shutdown_timeout=_SHUTDOWN_SECONDS, handler_cancellation=True
    )
    await runner.setup()
    try:
        try:
            await web.TCPSite(runner, host, port).start()
        except OSError as error:
            raise CannotListen(error.strerror or str(error)) from error
        except UnicodeError as error:  # the name has an empty or overlong label
            raise CannotListen(f"{host!r} is not the name of a host") from error
        told = asyncio.Event()
        loop = asyncio.get_running_loop()
        for number in (signal.SIGINT, signal.SIGTERM):
            loop.add_signal_handler(number, told.set)
        ready(int(runner.addresses[0][1]))
        await told.wait()
    finally:
        await runner.cleanup()
