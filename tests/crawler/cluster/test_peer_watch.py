"""A shard ends soon after the process that started it was killed, whatever it is doing."""

from __future__ import annotations

import os
import pickle
import socket
import struct
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from hinterland.crawler.cluster.peer_watch import EXIT_ALONE

ROOT = Path(__file__).parents[3]
SHARD = """
import asyncio, contextlib, runpy, sys, time
from hinterland.crawler.cluster.shard_host import ShardHost

async def wait_for_ever(*_):
    while True:
        with contextlib.suppress(asyncio.CancelledError):
            await asyncio.sleep(3600)

def compute_for_ever(*_):
    while True:
        pass

async def wait_for_a_thread(*_):
    await asyncio.to_thread(time.sleep, 3600)

def sleep(*_):
    time.sleep(3600)

ShardHost.learnt = locals()[sys.argv.pop()]
if not asyncio.iscoroutinefunction(ShardHost.learnt):
    ShardHost.status = ShardHost.learnt
runpy.run_module("hinterland.library.crawls.shard_process", run_name="__main__", alter_sys=True)
"""


@contextmanager
def shard(doing: str) -> Iterator[tuple[subprocess.Popen[bytes], socket.socket]]:
    """The process of a shard, and the socket by which its starter talks to it."""
    ours, theirs = socket.socketpair()
    with theirs, ours:
        process = subprocess.Popen(
            [sys.executable, "-c", SHARD, str(theirs.fileno()), doing],
            pass_fds=[theirs.fileno()],
            env={**os.environ, "PYTHONPATH": str(ROOT)},
        )
        theirs.close()
        try:
            yield process, ours
        finally:
            process.kill()
            process.wait()


def ask(shard: socket.socket, what: str) -> None:
    call = pickle.dumps((1, what, None))
    shard.sendall(struct.pack("<I", len(call)) + call)


@pytest.mark.slow
@pytest.mark.parametrize(
    "doing, asked",
    [
        ("compute_for_ever", "status"),
        ("sleep", "status"),
        ("wait_for_ever", "learnt"),
        ("wait_for_a_thread", "learnt"),
    ],
)
def test_a_shard_whose_starter_was_killed_ends_whatever_it_is_doing(doing: str, asked: str) -> None:
    with shard(doing) as (process, ours):
        ask(ours, "stop")  # so it answers already
        assert ours.recv(4)
        ask(ours, asked)
        ours.close()
        assert process.wait(timeout=60) == EXIT_ALONE


@pytest.mark.slow
def test_a_shard_that_has_nothing_to_do_ends_by_itself() -> None:
    with shard("sleep") as (process, ours):
        ask(ours, "stop")
        assert ours.recv(4)
        ours.close()
        assert process.wait(timeout=60) in (0, EXIT_ALONE)
