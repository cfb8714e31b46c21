"""The network of the box: two network namespaces, a link between them, and a way to start programs on either side.

    with open_box(world, folder) as box:
        names = box.popen([sys.executable, "-m", "benchmarks.internet.names", str(box.world_file)], Side.WEB)
        box.run(["curl", "-sS", "http://h1.example/"], Side.CRAWLER)

Needs root, /dev/net/tun, iproute2, util-linux and a C compiler; `why_impossible()` says what is missing. Namespaces
have no names: each side is held by a process that ends when its input does, so that nothing stays behind even if this
process is killed, and several boxes run beside each other.
"""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import IO, Any, Final

from benchmarks.internet.link import LinkUnusable, link_program, table_lines
from benchmarks.internet.world import World
from benchmarks.internet.world_file import write_world
from tests.support.refused_networks import REFUSED

NAME_SERVER: Final = "198.51.100.53"
"""The address of the recursive name server, on the web side; port 53."""

CRAWLER_V4: Final = "198.51.100.2"
CRAWLER_V6: Final = "2001:db8:ffff::2"
MACHINES_V4: Final = "198.18.0.0/15"
MACHINES_V6: Final = "2001:db8::/33"
"""Every address in these networks belongs to the web side: a server bound to the wildcard address has them all, and
learns from `getsockname()` of a connection which machine it was meant for."""

MTU: Final = 1500
_DEVICE: Final = "link0"
_PROGRAMS: Final = {"ip": "iproute2", "nsenter": "util-linux", "unshare": "util-linux", "cc": "build-essential"}
_PATIENCE_SECONDS: Final = 5.0
_WAITING_PACKETS: Final = 10_000
"""That the kernel keeps for the link while this computer is busy with other things."""

_SYSTEM_SETTINGS: Final = {
    "net/core/somaxconn": "65535",
    "net/ipv4/tcp_max_syn_backlog": "65535",
    "net/ipv4/ip_local_port_range": "1024 65535",  # connections to 5,000 machines, several times a minute
    "net/ipv6/conf/all/disable_ipv6": "0",
    "net/ipv6/conf/default/router_solicitations": "0",
}
_COMMON: Final = (
    "set -e",
    "mount --make-rprivate /",
    "ip link set lo up",
    *(f"echo {value} >/proc/sys/{name}" for name, value in _SYSTEM_SETTINGS.items()),
)


_KILL_ALL: Final = (
    "own=$(readlink /proc/self/ns/net | tr -d 'net:[]')",
    'left=$(find /proc/[0-9]*/ns/net -maxdepth 0 -lname "net:?$own?" 2>/dev/null | cut -d / -f 3)',
    'for pid in $left; do [ "$pid" = $$ ] || kill -KILL "$pid" 2>/dev/null || true; done',
)


class BoxUnusable(Exception):
    """Why no box can be opened, in words."""


class Side(StrEnum):
    """A side of the box, with namespaces of its own."""

    CRAWLER = "crawler"  # sees its link and an own /etc/resolv.conf, /etc/hosts; no other way out
    WEB = "web"  # has all machines' addresses


@dataclass(frozen=True, slots=True)
class Box:
    """An open box.

    `folder` has its files; `world_file` is read by `world_file.read_world`. `counters_file` has those of the link, a
    JSON line each second, read by `link.read_counters`. `holders` are the ids of the processes that keep the sides
    alive.
    """

    folder: Path
    world_file: Path
    counters_file: Path
    holders: Mapping[Side, int]
    _started: list[subprocess.Popen[bytes]] = field(default_factory=list, repr=False)

    def command_inside(self, command: Sequence[str], side: Side, *, cwd: Path | None = None) -> list[str]:
        """Return the command that runs `command` on a side, in the same process."""
        place = str(cwd if cwd is not None else Path.cwd())
        enter = ["nsenter", f"--target={self.holders[side]}", "--net", "--mount", f"--wdns={place}"]
        return [*enter, "--", *command]

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
        inside = self.command_inside(command, side, cwd=cwd)
        return subprocess.run(
            inside, env=env, timeout=timeout, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False
        )

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
        """Start a program on a side.

        The process id is that of the program itself, so signals reach it. If it still runs when the box is closed, it
        is terminated, and killed after some seconds.
        """
        inside = self.command_inside(command, side, cwd=cwd)
        process = subprocess.Popen(inside, env=env, stdin=stdin, stdout=stdout, stderr=stderr)
        self._started.append(process)
        return process

    def end_programs(self) -> None:
        """End all programs that `popen` started and that still run."""
        running = [process for process in self._started if process.poll() is None]
        for process in running:
            process.terminate()
        for process in running:
            _wait_or_kill(process)


@contextmanager
def open_box(world: World, folder: Path, *, name_server: str = NAME_SERVER) -> Iterator[Box]:
    """Make the namespaces and the link of a world, and remove all of it at the end, even after errors and Ctrl-C.

    The box leaves its files in `folder`. `name_server` is the one in the crawler's /etc/resolv.conf. Raises BoxUnusable
    or LinkUnusable.
    """
    if (why := why_impossible()) is not None:
        raise BoxUnusable(f"no box can be opened here: {why}")
    folder.mkdir(parents=True, exist_ok=True)
    table, world_file, counters = folder / "link.txt", folder / "world.json", folder / "link.jsonl"
    write_world(world, world_file)
    table.write_text("\n".join(table_lines(world, name_server)) + "\n", encoding="ascii")
    _write_files_of_crawler(folder, name_server)
    with ExitStack() as stack:
        holders = {
            Side.CRAWLER: _hold(stack, [*_COMMON, *_crawler_mounts(folder)]),
            Side.WEB: _hold(stack, [*_COMMON, *_web_addresses(name_server)]),
        }
        _start_link(stack, table, counters, holders)
        box = Box(folder, world_file, counters, holders)
        stack.callback(box.end_programs)
        for side, lines in ((Side.WEB, _web_routes()), (Side.CRAWLER, _crawler_routes())):
            done = box.run(["sh", "-ec", "\n".join(lines)], side)
            if done.returncode:
                raise BoxUnusable(f"the network of the {side} side could not be set up: {done.stderr.strip()}")
        yield box


def _start_link(stack: ExitStack, table: Path, counters: Path, holders: Mapping[Side, int]) -> None:
    spaces = [f"/proc/{holders[side]}/ns/net" for side in (Side.CRAWLER, Side.WEB)]
    command = [str(link_program()), str(table), str(counters), _DEVICE, *spaces]
    _start_helper(stack, command, "the link")


def _hold(stack: ExitStack, set_up: Sequence[str]) -> int:
    """Start a process in namespaces of its own, and return its id; it lives until its input ends.

    It then kills what is left in them: what our programs started, or everything if this process was killed.
    """
    script = "\n".join([*set_up, "echo ready", "read -r _ || true", *_KILL_ALL])
    return _start_helper(stack, ["unshare", "--net", "--mount", "sh", "-c", script], "a side of the box")


def _start_helper(stack: ExitStack, command: Sequence[str], what: str) -> int:
    process = subprocess.Popen(
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,  # Ctrl-C is for the programs and for us, who take this down in order
    )
    stack.callback(_end_helper, process)
    assert process.stdout is not None
    if process.stdout.readline() != b"ready\n":
        _, said = process.communicate(timeout=_PATIENCE_SECONDS)
        raise BoxUnusable(f"{what} could not be set up: {said.decode(errors='replace').strip()}")
    return process.pid


def _end_helper(process: subprocess.Popen[bytes]) -> None:
    if process.stdin is not None and not process.stdin.closed:
        process.stdin.close()
    _wait_or_kill(process)
    for stream in (process.stdout, process.stderr):
        if stream is not None:
            stream.close()


def _wait_or_kill(process: subprocess.Popen[bytes]) -> None:
    try:
        process.wait(_PATIENCE_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


# --- what each side is set up with --------------------------------------------------------------


def _write_files_of_crawler(folder: Path, name_server: str) -> None:
    files = {
        "resolv.conf": f"nameserver {name_server}\n",
        "hosts": "127.0.0.1 localhost\n::1 localhost\n",
        "nsswitch.conf": "passwd: files\ngroup: files\nhosts: files dns\n",
    }
    for name, text in files.items():
        (folder / name).write_text(text, encoding="ascii")


def _crawler_mounts(folder: Path) -> Iterator[str]:
    """Yield what lets only the box's own name server be asked: glibc would ask other programs over sockets in files."""
    for name in ("resolv.conf", "hosts", "nsswitch.conf"):
        source, place = shlex.quote(str(folder.resolve() / name)), f"/etc/{name}"
        yield f'if [ -e {place} ]; then mount --bind {source} "$(readlink -f {place})"; fi'
    for place in ("/run/nscd", "/run/systemd/resolve", "/run/dbus", "/run/avahi-daemon"):
        yield f"if [ -d {place} ]; then mount -t tmpfs none {place}; fi"


def _web_addresses(name_server: str) -> Iterator[str]:
    yield f"ip route add local {MACHINES_V4} dev lo"
    yield f"ip -6 route add local {MACHINES_V6} dev lo"
    yield f"ip address add {name_server} dev lo"


def _device_up() -> Iterator[str]:
    yield f"ip link set {_DEVICE} mtu {MTU} txqueuelen {_WAITING_PACKETS} up"


def _web_routes() -> Iterator[str]:
    yield from _device_up()
    yield f"ip route add {CRAWLER_V4} dev {_DEVICE}"
    yield f"ip -6 route add {CRAWLER_V6} dev {_DEVICE}"


def _crawler_routes() -> Iterator[str]:
    yield from _device_up()
    yield f"ip address add {CRAWLER_V4}/32 dev {_DEVICE}"
    yield f"ip -6 address add {CRAWLER_V6}/128 dev {_DEVICE} nodad"
    yield f"ip route add default dev {_DEVICE} src {CRAWLER_V4}"
    yield f"ip -6 route add default dev {_DEVICE} src {CRAWLER_V6}"


# --- whether it can be done ---------------------------------------------------------------------

_TRIAL: Final = (
    *_COMMON,
    "mount -t tmpfs none /mnt",
    "ip tuntap add dev trial0 mode tun",
    f"ip -6 route add local {MACHINES_V6} dev lo",
)


def why_impossible() -> str | None:
    """Return why no box can be made here, in words; None if one can."""
    if os.geteuid() != 0:
        return f"{REFUSED}: only root may make them"
    for program, package in _PROGRAMS.items():
        if shutil.which(program) is None:
            return f"there is no {program} here (Debian: {package})"
    try:
        link_program()
    except LinkUnusable as error:
        return str(error)
    command = ["unshare", "--net", "--mount", "sh", "-c", "\n".join(_TRIAL)]
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    return f"{REFUSED}: {done.stderr.strip()}" if done.returncode else None


def is_possible() -> bool:
    """Return whether a box can be made here."""
    return why_impossible() is None
