"""The network of the box: two network namespaces, a link between them, and a way to start programs on either side.

    with open_box(world, folder) as box:
        names = box.popen([sys.executable, "-m", "benchmarks.internet.names", str(box.world_file)], Side.WEB)
        box.run(["curl", "-sS", "http://h1.example/"], Side.CRAWLER)

Needs root, /dev/net/tun and a C compiler; `why_impossible()` says what is missing. Every box has namespaces of its own,
which nothing outside can see, so that several boxes run beside each other.
"""

from __future__ import annotations

import subprocess
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import IO, Any, Final

from benchmarks.internet.world import World

NAME_SERVER: Final = "198.51.100.53"
"""The address of the recursive name server, on the web side; port 53."""

CRAWLER_V4: Final = "198.51.100.2"
CRAWLER_V6: Final = "2001:db8:ffff::2"
MACHINES_V4: Final = "198.18.0.0/15"
MACHINES_V6: Final = "2001:db8::/33"
"""Every address in these networks belongs to the web side: a server bound to the wildcard address has them all, and
learns from `getsockname()` of a connection which machine it was meant for."""

REFUSED: Final = "the kernel or the container refuses network namespaces or TUN devices"
"""How `why_impossible` begins where nothing that could be installed would help."""


class Side(StrEnum):
    CRAWLER = "crawler"  # sees its link and an own /etc/resolv.conf, /etc/hosts; no other way out
    WEB = "web"  # has all machines' addresses


@dataclass(frozen=True, slots=True)
class Box:
    """An open box. folder: of its files; world_file: the world, to be read by `world_file.read_world`; counters_file: of the link,
    a JSON line each second, to be read by `link.read_counters`."""

    folder: Path
    world_file: Path
    counters_file: Path

    def run(
        self,
        command: Sequence[str],
        side: Side,
        *,
        cwd: Path | None = None,
        env: Mapping[str, str] | None = None,
        timeout: float | None = None,
    ) -> subprocess.CompletedProcess[str]:
        """Run a command to its end on a side, and return what it printed; its return code is not checked."""
        raise NotImplementedError

    def popen(
        self,
        command: Sequence[str],
        side: Side,
        *,
        cwd: Path | None = None,
        env: Mapping[str, str] | None = None,
        stdin: int | IO[Any] | None = None,
        stdout: int | IO[Any] | None = None,
        stderr: int | IO[Any] | None = None,
    ) -> subprocess.Popen[bytes]:
        """Start a program on a side. Its pid is that of the program itself, so signals reach it. What still runs when
        the box is closed is terminated, and killed if it has not ended after some seconds."""
        raise NotImplementedError


@contextmanager
def open_box(world: World, folder: Path, *, name_server: str = NAME_SERVER) -> Iterator[Box]:
    """Make the namespaces and the link of a world, and take all down in the end, after errors and Ctrl-C, too.

    folder: where the box keeps its files, which stay. name_server: what the crawler's /etc/resolv.conf names.
    """
    raise NotImplementedError


def why_impossible() -> str | None:
    """Return why no box can be made here, in words; None if one can."""
    raise NotImplementedError


def is_possible() -> bool:
    """Return whether a box can be made here."""
    return why_impossible() is None
