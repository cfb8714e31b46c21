"""The program, with all that it may need imported: `python -P ready_program.py SOCKET`.

To start the program takes a fifth of a second to two seconds of CPU time, most of it for imports. This server has made
them. It listens at SOCKET, and for each message forks a process that goes on as if a script had been started then and
there: with the arguments, the working folder, the environment and the open files of the one who asks, who learns how it
ended. A process is killed if the one who asked for it is gone. The server ends when its stdin is closed; it has one
thread, since forking would not be safe otherwise.

`ready_client.py` asks.
"""

from __future__ import annotations

import atexit
import gc
import json
import os
import pkgutil
import select
import signal
import socket
import struct
import sys
import time
import types
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from typing import Final, NamedTuple

NUMBER: Final = struct.Struct("=i")
"""Told twice: which process it is, then what os.wait says of its end."""
LENGTH: Final = struct.Struct("=I")


class Order(NamedTuple):
    """command: a script and its arguments. is_deaf: whether SIGINT is ignored."""

    command: list[str]
    environment: dict[str, str]
    is_deaf: bool


def main(address: str) -> None:
    codes = list[int]()
    atexit.register(_end_at_once, codes)  # the first to register is the last to be called
    with socket.socket(socket.AF_UNIX) as asked:
        asked.bind(address)
        _import_all()
        asked.listen(64)
        print("ready", flush=True)
        order = _serve(asked)
    if order is not None:  # in a forked process
        codes.append(1)  # if it raises
        codes.append(_code_of(order))


def _import_all() -> None:
    package = import_module("hinterland")
    for module in pkgutil.walk_packages(package.__path__, "hinterland."):
        if not module.name.endswith(".__main__"):
            with suppress(ImportError):  # of what is an option
                import_module(module.name)
    graph, ranks = import_module("hinterland.analysis.graph"), import_module("hinterland.analysis.pagerank")
    ranks.pagerank(graph.Graph.from_links([0], [1], 2))  # which has the compiler read its tables
    gc.collect()
    gc.freeze()  # a collection would write to what is shared


def _serve(asked: socket.socket) -> Order | None:
    """Fork as asked until stdin is closed; what was asked for, in a forked process."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # a terminal's is meant for those that were forked
    woken, wakes = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    signal.set_wakeup_fd(wakes, warn_on_full_buffer=False)
    running: dict[int, socket.socket] = {}
    while True:
        ready, _, _ = select.select((sys.stdin, asked, woken, *running.values()), (), ())
        if sys.stdin in ready:
            return None
        for process in [process for process, who in running.items() if who in ready]:
            os.kill(process, signal.SIGKILL)
            os.waitpid(process, 0)
            running.pop(process).close()
        if woken in ready:
            os.read(woken, 4096)
            while running and (ended := os.waitpid(-1, os.WNOHANG))[0]:
                with running.pop(ended[0]) as who:
                    _tell(who, ended[1])
        if asked in ready:
            who, _ = asked.accept()
            try:
                order, files = _read(who)
            except EOFError:
                who.close()
                continue
            process = os.fork()
            if not process:
                signal.set_wakeup_fd(-1)
                *streams, folder = files
                for number, file in enumerate(streams):
                    os.dup2(file, number)
                os.fchdir(folder)
                for file in (woken, wakes, *files):
                    os.close(file)
                for each in (who, *running.values()):
                    each.close()
                return order
            for file in files:
                os.close(file)
            running[process] = who
            _tell(who, process)


def _read(who: socket.socket) -> tuple[Order, list[int]]:
    """Raises EOFError if the one who asks was killed before all was said."""
    first, files, _, _ = socket.recv_fds(who, LENGTH.size, 4)
    length = LENGTH.unpack(first)[0] if len(first) == LENGTH.size else 1
    text = who.recv(length, socket.MSG_WAITALL)
    if len(text) < length:
        for file in files:
            os.close(file)
        raise EOFError
    return Order(**json.loads(text)), files


def _tell(who: socket.socket, number: int) -> None:
    with suppress(OSError):  # nobody waits any more
        who.sendall(NUMBER.pack(number))


def _code_of(order: Order) -> int:
    try:
        _run(order)
    except SystemExit as end:
        if not isinstance(end.code, int | None):
            raise
        return end.code or 0
    return 0


def _end_at_once(codes: list[int]) -> None:
    """Do without freeing what was imported: to write to all of that memory takes longer than most commands do."""
    if not codes:
        return  # it is the server that ends
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(codes[-1])


def _run(order: Order) -> None:
    """Go on as if the script had been started with all this."""
    script = order.command[0]
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.SIG_IGN if order.is_deaf else signal.default_int_handler)
    os.environ.clear()
    os.environ.update(order.environment)
    time.tzset()
    for number, (name, mode, errors) in enumerate(
        (("stdin", "r", "strict"), ("stdout", "w", "strict"), ("stderr", "w", "backslashreplace"))
    ):
        buffering = 1 if name == "stderr" or os.isatty(number) else -1
        stream = os.fdopen(number, mode, buffering, "utf-8", errors, closefd=False)
        setattr(sys, name, stream)
        setattr(sys, f"__{name}__", stream)
    sys.argv[:] = order.command
    sys.path.insert(0, str(Path(script).parent))
    program = types.ModuleType("__main__")
    program.__file__ = script
    sys.modules["__main__"] = program
    exec(compile(Path(script).read_bytes(), script, "exec"), program.__dict__)


if __name__ == "__main__":
    main(*sys.argv[1:])
