"""Ends a process soon after the process that started it has ended, whatever it is doing."""

from __future__ import annotations

import os
import select
import socket
import threading
import time
from typing import Final

GRACE_SECONDS: Final = 1.0
"""How long the process may take to close its files. A store that was not closed is intact nevertheless."""
EXIT_ALONE: Final = 75
"""The exit code of a process that was left alone: EX_TEMPFAIL of sysexits.h."""


def end_with_peer(connection: socket.socket, grace_seconds: float = GRACE_SECONDS) -> None:
    """End this process `grace_seconds` after the other side has closed a connection.

    A thread waits for that, because a busy event loop, or threads that cannot be cancelled, would keep the process
    alive.
    """
    own = connection.dup()  # stays open when the connection is closed on this side

    def wait() -> None:
        hang_up = select.poll()
        hang_up.register(own, getattr(select, "POLLRDHUP", 0))  # POLLHUP is always reported
        hang_up.poll()
        time.sleep(grace_seconds)
        os._exit(EXIT_ALONE)

    threading.Thread(target=wait, daemon=True, name="peer watch").start()
