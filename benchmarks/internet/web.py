"""The server of the web side of a box: one process that is all machines and hosts of a world.

    python -m benchmarks.internet.web WORLD --log FILE --certificates FOLDER [--farm FOLDER]

Serves ports 80 and 443 of all addresses it has, over IPv4 and IPv6, and prints "ready" once it does. SIGTERM or SIGINT
ends it; it then prints what it counted as one JSON object. A request to a host that is down or a black hole is reset:
that nothing listens there, or that nothing comes back, is the link's part.
"""

from __future__ import annotations

import argparse
import asyncio
import gc
import json
import os
import resource
import signal
import socket
import sys
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Final

import uvloop

from benchmarks.internet.certificates import Certificates, make_certificates
from benchmarks.internet.pages import SmallWeb
from benchmarks.internet.pages_farm import FarmWeb
from benchmarks.internet.request_log import RequestLog
from benchmarks.internet.web_answers import Hosts, names_of
from benchmarks.internet.web_connection import Tally, WebConnection
from benchmarks.internet.web_tls import Contexts, TlsConnection
from benchmarks.internet.world import Quirk, TlsKind, World
from benchmarks.internet.world_file import read_world

ANYWHERE: Final = ("0.0.0.0", "::")
_BACKLOG: Final = 65_535
_SEND_BUFFER: Final = 4 << 20
_SNDBUFFORCE: Final = 32
"""The option of Linux that lets root have a larger buffer than others may."""
_FLUSH_SECONDS: Final = 0.5
_FAILING: Final = (TlsKind.EXPIRED, TlsKind.UNKNOWN_CA)


@dataclass(frozen=True, slots=True)
class Web:
    """A web side that serves. Ports: those it listens on."""

    http_port: int
    https_port: int
    hosts: Hosts
    tally: Tally


def certificates_of(world: World, folder: Path) -> Certificates:
    """Make what the hosts of a world show."""
    names = names_of(world.hosts)
    secure = [name for name, (index, _) in names.items() if _has_tls(world, index)]
    odd = [name for name in secure if world.hosts[names[name][0]].tls in _FAILING]
    return make_certificates(folder, secure, odd)


def _has_tls(world: World, index: int) -> bool:
    host = world.hosts[index]
    return host.tls is not TlsKind.NONE or host.quirk is Quirk.REDIRECTS_TO_TLS


@asynccontextmanager
async def serving(
    world: World,
    log: RequestLog,
    certificates: Certificates,
    *,
    addresses: tuple[str, ...] = ANYWHERE,
    ports: tuple[int, int] = (80, 443),
    farm: Path | None = None,
) -> AsyncIterator[Web]:
    """Serve a world while the block runs.

    `ports` are those of http and https; 0 stands for any free one. With `farm`, the folder of a built webfarm, hosts
    show its pages instead of words.
    """
    loop, tally = asyncio.get_running_loop(), Tally()
    first = [_listening(addresses[0], port) for port in ports]
    http_port, https_port = (each.getsockname()[1] for each in first)
    others = [_listening(each, port) for each in addresses[1:] for port in (http_port, https_port)]
    urls = [world.host_url(host, http_port, https_port) for host in world.hosts]
    suffix = "" if https_port == 443 else f":{https_port}"
    pages = SmallWeb(world, urls) if farm is None else FarmWeb(farm, len(world.hosts))
    hosts = Hosts(world, pages, urls, [f"https://{host.name}{suffix}/" for host in world.hosts])
    contexts = Contexts(hosts, certificates)
    kinds: tuple[Callable[[], asyncio.Protocol], ...] = (
        lambda: WebConnection(hosts, log, tally),
        lambda: TlsConnection(hosts, log, tally, contexts),
    )
    servers = [
        await loop.create_server(kinds[place % 2], sock=each, backlog=_BACKLOG)
        for place, each in enumerate([*first, *others])
    ]
    flushing = asyncio.create_task(_flush_now_and_then(log))
    try:
        yield Web(http_port, https_port, hosts, tally)
    finally:
        flushing.cancel()
        for server in servers:
            server.close()
        log.flush()


def _listening(address: str, port: int) -> socket.socket:
    listening = socket.socket(socket.AF_INET6 if ":" in address else socket.AF_INET, socket.SOCK_STREAM)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    if ":" in address:
        listening.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
    for control in (b"cubic", b"reno"):  # not what this machine happens to use: each run is to be like the others
        with suppress(OSError):
            listening.setsockopt(socket.IPPROTO_TCP, socket.TCP_CONGESTION, control)
            break
    for option in (_SNDBUFFORCE, socket.SO_SNDBUF):  # an answer is to leave us at once, so that its end is known
        with suppress(PermissionError):
            listening.setsockopt(socket.SOL_SOCKET, option, _SEND_BUFFER)
            break
    listening.bind((address, port))
    return listening


async def _flush_now_and_then(log: RequestLog) -> None:
    while True:
        await asyncio.sleep(_FLUSH_SECONDS)
        log.flush()


async def _serve_until_stopped(world: World, arguments: argparse.Namespace) -> Tally:
    is_over = asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(number, is_over.set)
    certificates = certificates_of(world, arguments.certificates)
    with arguments.log.open("w", encoding="utf-8", newline="\n") as file:
        ports = arguments.http_port, arguments.https_port
        log = RequestLog(file)
        async with serving(world, log, certificates, ports=ports, farm=arguments.farm) as web:
            gc.collect()
            gc.freeze()
            print("ready", flush=True)
            await is_over.wait()
            web.tally.cpu_seconds = round(time.process_time(), 2)
            return web.tally


def main() -> None:
    """Serve a world until a signal, and print what was counted."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("world", type=Path, help="the file of a world, as world_file writes it")
    parser.add_argument("--log", type=Path, required=True, help="gets a line for each request")
    parser.add_argument("--certificates", type=Path, required=True, help="a folder for certificates")
    parser.add_argument("--http-port", type=int, default=80)
    parser.add_argument("--https-port", type=int, default=443)
    parser.add_argument("--farm", type=Path, help="a built webfarm whose pages are shown")
    parser.add_argument("--cpu", type=int, help="the core to run on")
    arguments = parser.parse_args()
    if arguments.cpu is not None:
        os.sched_setaffinity(0, {arguments.cpu})
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    tally = uvloop.run(_serve_until_stopped(read_world(arguments.world), arguments))
    json.dump(asdict(tally), sys.stdout)
    print()


if __name__ == "__main__":
    main()
