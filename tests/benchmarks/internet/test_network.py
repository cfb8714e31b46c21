"""The network of the box: what goes through its link, and what of it stays behind."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from benchmarks.internet.link import Counters, read_counters
from benchmarks.internet.names_log import questions_by_name, read_questions
from benchmarks.internet.network import Box, Side, open_box, why_impossible
from benchmarks.internet.world import Host, Link, Machine, Name, Quirk, World
from benchmarks.internet.world import Path as NetworkPath

REASON = why_impossible()
pytestmark = [pytest.mark.slow, pytest.mark.skipif(REASON is not None, reason=str(REASON))]

REPOSITORY = Path(__file__).parents[3]
SERVER = """
import socket, threading

def answer(connection):
    try:
        size = int(connection.recv(100) or 0)
        connection.sendall(bytes(size))
        connection.shutdown(socket.SHUT_WR)
        connection.recv(1)
    except OSError:
        pass  # the client has gone
    connection.close()

server = socket.create_server(("::", 80), family=socket.AF_INET6, dualstack_ipv6=True, backlog=100)
print("ready", flush=True)
while True:
    threading.Thread(target=answer, args=(server.accept()[0],), daemon=True).start()
"""
"""Sends as many bytes as it is asked for, at every address of the web side."""

CLIENT = """
import json, socket, sys, threading, time

seen = {}

def fetch(number, host, size):
    began = time.monotonic()
    try:
        with socket.create_connection((host, 80), timeout=float(sys.argv[1])) as connection:
            connected = time.monotonic() - began
            connection.settimeout(60)
            connection.sendall(str(size).encode())
            received = 0
            while part := connection.recv(1 << 16):
                received += len(part)
            seen[number] = ["fetched", connected, received, connection.getpeername()[0]]
    except OSError as error:
        seen[number] = [type(error).__name__, time.monotonic() - began, 0, ""]

wanted = json.loads(sys.argv[2])
threads = [threading.Thread(target=fetch, args=(number, *pair)) for number, pair in enumerate(wanted)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
print(json.dumps([seen[number] for number in range(len(wanted))]))
"""
"""Fetches from hosts at the same time: how each ended, after how long it was connected, how much came, from where."""

OPENER = """
import sys, time
from pathlib import Path
from benchmarks.internet.network import Side, open_box
from benchmarks.internet.weather import draw_world

with open_box(draw_world(1, hosts=1, machines=1), Path(sys.argv[1])) as box:
    print(box.popen(["sleep", "1000"], Side.WEB).pid, *box.holders.values(), flush=True)
    time.sleep(1000)
"""
"""Opens a box, tells the processes in it, and waits."""

Fetched = tuple[str, float, int, str]


def machine(number: int, path: NetworkPath, *, v6_works: bool = True) -> Machine:
    return Machine(f"198.18.0.{number}", f"2001:db8::{number}", path, v6_works)


def serve(box: Box) -> None:
    program = box.popen([sys.executable, "-c", SERVER], Side.WEB, stdout=subprocess.PIPE)
    assert program.stdout is not None
    with program.stdout as said:
        assert said.readline() == b"ready\n"


def fetch(box: Box, *wanted: tuple[str, int], patience: float = 20.0) -> list[Fetched]:
    command = [sys.executable, "-c", CLIENT, str(patience), json.dumps(wanted)]
    done = box.run(command, Side.CRAWLER, timeout=100)
    assert done.returncode == 0, done.stderr
    return [tuple(fetched) for fetched in json.loads(done.stdout)]


def totals(folder: Path) -> Counters:
    """What the link counted in all; it tells the last of it as it ends."""
    _, total = read_counters(folder / "link.jsonl")
    assert total is not None
    return total


def is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def is_running(pid: int) -> bool:
    """Whether a process has not ended, though its parent may not have asked for its code."""
    try:
        return "State:\tZ" not in Path(f"/proc/{pid}/status").read_text()
    except FileNotFoundError:
        return False


@pytest.fixture(scope="module")
def mixed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Box]:
    """A box with a near machine, a far one, one that is down, a black hole and one whose IPv6 is broken."""
    paths = [0.0, 0.2, 0.0, 0.0, 0.0]
    machines = [machine(n, NetworkPath(rtt), v6_works=n != 5) for n, rtt in enumerate(paths, 1)]
    quirks = [Quirk.NONE, Quirk.NONE, Quirk.DOWN, Quirk.BLACK_HOLE, Quirk.NONE]
    hosts = [Host(f"h{n}.example", n - 1, Name(cnames=n % 2), quirk=quirk) for n, quirk in enumerate(quirks, 1)]
    folder = tmp_path_factory.mktemp("box")
    with open_box(World(1, machines, hosts), folder) as box:
        serve(box)
        program = [sys.executable, "-m", "benchmarks.internet.names", str(box.world_file)]
        names = box.popen(
            [*program, "--log", str(folder / "questions.jsonl")], Side.WEB, cwd=REPOSITORY, stdout=subprocess.PIPE
        )
        assert names.stdout is not None
        with names.stdout as said:
            assert said.readline() == b"ready 53\n"
        yield box


@pytest.mark.parametrize("address", ["198.18.0.{}", "2001:db8::{}"])
def test_a_far_machine_answers_later_than_a_near_one(mixed: Box, address: str) -> None:
    near, far = fetch(mixed, (address.format(1), 10), (address.format(2), 10))
    assert (near[0], far[0]) == ("fetched", "fetched")
    assert near[1] < far[1]


@pytest.mark.parametrize("address", ["198.18.0.3", "2001:db8::3"])
def test_a_machine_that_is_down_refuses_at_once(mixed: Box, address: str) -> None:
    assert [fetched[0] for fetched in fetch(mixed, (address, 10))] == ["ConnectionRefusedError"]


@pytest.mark.parametrize("address", ["198.18.0.4", "2001:db8::4", "2001:db8::5", "198.19.9.9"])
def test_packets_vanish_in_black_holes_and_in_a_broken_family_and_where_nothing_is(mixed: Box, address: str) -> None:
    assert [fetched[0] for fetched in fetch(mixed, (address, 10), patience=0.5)] == ["TimeoutError"]


def test_the_other_family_of_a_machine_works_when_one_is_broken(mixed: Box) -> None:
    assert [fetched[0] for fetched in fetch(mixed, ("198.18.0.5", 10))] == ["fetched"]


def test_a_program_on_the_crawler_side_finds_hosts_by_name(mixed: Box) -> None:
    fetched = fetch(mixed, ("h1.example", 100_000), ("h2.example", 100_000))
    assert [(outcome, size) for outcome, _, size, _ in fetched] == [("fetched", 100_000)] * 2
    assert [address for *_, address in fetched] == ["2001:db8::1", "2001:db8::2"]


def test_a_name_that_is_not_in_the_world_is_not_found(mixed: Box) -> None:
    assert [fetched[0] for fetched in fetch(mixed, ("elsewhere.example", 10))] == ["gaierror"]


def test_the_crawler_side_has_no_way_out_but_the_link(mixed: Box) -> None:
    devices = mixed.run(["ip", "-brief", "link"], Side.CRAWLER).stdout.splitlines()
    assert [line.split()[0] for line in devices] == ["lo", "link0"]
    assert mixed.run(["cat", "/etc/resolv.conf"], Side.CRAWLER).stdout == "nameserver 198.51.100.53\n"


def test_what_is_lost_is_counted_and_tcp_makes_up_for_it(tmp_path: Path) -> None:
    world = World(1, [machine(1, NetworkPath(0.002, 0.001, 0.05, 0.02))], [Host("a.example", 0)])
    with open_box(world, tmp_path) as box:
        serve(box)
        assert [size for _, _, size, _ in fetch(box, *[("198.18.0.1", 200_000)] * 3)] == [200_000] * 3
    total = totals(tmp_path)
    assert 0.01 < total.down.lost / (total.down.packets + total.down.lost) < 0.15
    assert total.up.lost
    assert total.down.reordered
    assert total.failed == 0


def test_a_narrow_link_carries_no_more_than_its_rate_and_drops_what_its_queue_cannot_hold(tmp_path: Path) -> None:
    rate, buffer_seconds = 8e6, 0.05
    world = World(1, [machine(1, NetworkPath(0.02))], [Host("a.example", 0)], Link(rate, rate, buffer_seconds))
    with open_box(world, tmp_path) as box:
        serve(box)
        assert {outcome for outcome, *_ in fetch(box, *[("198.18.0.1", 300_000)] * 4)} == {"fetched"}
    total = totals(tmp_path)
    assert total.down.bytes > 1_200_000
    assert total.down.bytes * 8 <= rate * total.down.busy_seconds * 1.01
    assert total.down.busy_seconds <= total.seconds
    assert total.down.queue_full
    assert 0 < total.down.wait_p50_ms <= total.down.wait_p95_ms <= total.down.wait_max_ms <= 1000 * buffer_seconds
    assert total.up.queue_full == 0


def test_boxes_stand_beside_each_other(tmp_path: Path) -> None:
    world = World(1, [machine(1, NetworkPath())], [Host("a.example", 0)])
    with open_box(world, tmp_path / "one") as one, open_box(world, tmp_path / "other") as other:
        serve(one)
        assert [fetched[0] for fetched in fetch(one, ("198.18.0.1", 10))] == ["fetched"]
        assert [fetched[0] for fetched in fetch(other, ("198.18.0.1", 10))] == ["ConnectionRefusedError"]


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt])
def test_nothing_is_left_after_an_error_or_ctrl_c(tmp_path: Path, error: type[BaseException]) -> None:
    world = World(1, [machine(1, NetworkPath())], [Host("a.example", 0)])
    pids: list[int] = []

    def fail_in_a_box() -> None:
        with open_box(world, tmp_path) as box:
            program = box.popen(["sleep", "1000"], Side.WEB)
            pids.extend([program.pid, *box.holders.values()])
            raise error

    with pytest.raises(error):
        fail_in_a_box()
    assert len(pids) == 3
    assert not any(is_alive(pid) for pid in pids)


def test_nothing_is_left_when_the_process_that_opened_a_box_is_killed(tmp_path: Path) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", OPENER, str(tmp_path)], cwd=REPOSITORY, stdout=subprocess.PIPE, text=True
    ) as opener:
        assert opener.stdout is not None
        pids = [int(pid) for pid in opener.stdout.readline().split()]
        assert len(pids) == 3
        opener.kill()
    while any(is_running(pid) for pid in pids):
        time.sleep(0.05)


def test_every_question_for_a_name_was_logged(mixed: Box) -> None:
    fetch(mixed, ("h5.example", 10), patience=0.2)
    mixed.run(["sleep", "1.1"], Side.WEB)  # the log is written once a second
    assert questions_by_name(read_questions(mixed.folder / "questions.jsonl"))["h5.example"] == {"A": 1, "AAAA": 1}
