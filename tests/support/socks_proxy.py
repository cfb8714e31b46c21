"""A SOCKS5 proxy that others have made (pproxy), in a process of its own."""

from __future__ import annotations

import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

_START = """
import asyncio, sys
sys.modules["uvloop"] = None  # it would set a policy without a loop
asyncio.set_event_loop(asyncio.new_event_loop())  # which newer Pythons do not do by themselves
from pproxy.server import main
main()
"""


@dataclass(frozen=True, slots=True)
class SocksProxy:
    """Its port, and the file to which it writes what it connects to."""

    port: int
    log: Path

    def connected_to(self) -> str:
        return self.log.read_text()


@contextmanager
def socks_proxy(folder: Path, login: str = "") -> Iterator[SocksProxy]:
    """A proxy while it serves; `login` is "user:password"."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    log = folder / f"socks-{port}.log"
    listens = f"socks5://127.0.0.1:{port}" + (f"#{login}" if login else "")
    with log.open("w") as said:
        command = [sys.executable, "-u", "-W", "ignore", "-c", _START, "-l", listens, "-v"]
        process = subprocess.Popen(command, stdout=said, stderr=subprocess.STDOUT)
    try:
        _wait(port, process)
        yield SocksProxy(port, log)
    finally:
        process.kill()
        process.wait()


def _wait(port: int, process: subprocess.Popen[bytes]) -> None:
    while process.poll() is None:
        try:
            socket.create_connection(("127.0.0.1", port)).close()
        except OSError:
            time.sleep(0.02)
        else:
            return
    raise RuntimeError("the proxy has ended")
