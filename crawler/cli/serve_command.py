"""`serve`: a store in a browser."""

from __future__ import annotations

import asyncio
import importlib
import shlex
import signal
import sys
from argparse import Namespace
from pathlib import Path

import uvloop
from aiohttp import web

from crawler.cli.exit_codes import OK, CommandError
from crawler.cli.next_commands import RUN
from crawler.cli.output import Output
from crawler.serving.application import application
from crawler.serving.searches import ReopenedIndex, Searches
from crawler.serving.security import is_loopback
from storage.reports import NoStore, reading

_WARNING = (
    "hinterland: {host} can be reached by other machines, and everybody there can read all of the store: there is no"
    " login. Put a server that asks for one in front of it."
)
_SHUTDOWN_SECONDS = 2.0


def run(arguments: Namespace) -> int:
    return uvloop.run(_serve(arguments))


async def _serve(arguments: Namespace) -> int:
    store, host = Path(arguments.store), str(arguments.host)
    index = Path(arguments.index) if arguments.index else store.with_suffix(".index")
    is_private = is_loopback(host)
    try:
        with reading(store):
            pass
    except NoStore as error:
        if store.exists():
            raise
        print(f"hinterland: {error}. It will be shown once it is there.", file=sys.stderr)
    searches = ReopenedIndex(index, _opened, f"{RUN} index {shlex.quote(str(store))}")
    app = application(store, searches, only_this_machine=is_private)
    runner = web.AppRunner(app, access_log=None, shutdown_timeout=_SHUTDOWN_SECONDS, handler_cancellation=True)
    await runner.setup()
    try:
        try:
            await web.TCPSite(runner, host, arguments.port).start()
        except OSError as error:
            raise CommandError(
                f"cannot listen on {host}, port {arguments.port}: {error.strerror or error}; choose another: --port 0"
            ) from None
        if not is_private:
            print(_WARNING.format(host=host), file=sys.stderr)
        port = runner.addresses[0][1]
        shown = f"[{host}]" if ":" in host else host
        Output(sys.stdout).write(f"http://{shown}:{port}/ shows {store}. Ctrl-C ends it.")
        await _until_told_to_end()
    finally:
        await runner.cleanup()
    return OK


def _opened(directory: Path) -> Searches:
    searches: Searches = importlib.import_module("crawler.search.searcher").SearchIndex.open(directory)
    return searches


async def _until_told_to_end() -> None:
    told = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, told.set)
    await told.wait()
