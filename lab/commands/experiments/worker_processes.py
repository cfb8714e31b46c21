"""Worker processes that take one task at a time, and can be ended in the middle of a task.

The standard library's pool is not used: when a worker is killed, or the parent is interrupted, its threads may wait for
each other forever (Python 3.11.2).
"""

from __future__ import annotations

import multiprocessing
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from multiprocessing.connection import Connection, wait
from typing import Any, TypeVar

Result = TypeVar("Result")


class WorkerKilled(Exception):
    """A worker process was killed."""


def worked(
    work: Callable[..., Result], tasks: Sequence[tuple[Any, ...]], processes: int, begin: Callable[[], object]
) -> Iterator[tuple[int, Result]]:
    """Yield (index of the task, result of `work`) whenever a task is done. Tasks begin in their order.

    Each process calls `begin` first. `begin` and `work` must be functions that can be pickled; their exceptions are
    raised here. Raises WorkerKilled. When the iterator ends, the processes are ended, even in the middle of a task.
    """
    waiting, busy = iter(enumerate(tasks)), dict[Connection, int]()
    with ExitStack() as workers:
        for _ in range(min(processes, len(tasks))):
            busy[workers.enter_context(_Worker(work, begin)).connection] = -1
        while busy:
            for connection in wait(list(busy)):
                assert isinstance(connection, Connection)
                place, task = busy.pop(connection), next(waiting, None)
                try:
                    is_done, result = connection.recv()
                    if is_done and task is not None:
                        busy[connection] = task[0]
                        connection.send(task[1])
                except (EOFError, BrokenPipeError, ConnectionResetError):
                    raise WorkerKilled from None
                if not is_done:
                    raise result
                if place >= 0:
                    yield place, result


class _Worker:
    """A process and the connection to it."""

    def __init__(self, work: Callable[..., object], begin: Callable[[], object]) -> None:
        context = multiprocessing.get_context("spawn")
        self.connection, theirs = context.Pipe()
        self._process = context.Process(target=_serve, args=(theirs, work, begin), daemon=True)
        self._process.start()
        theirs.close()

    def __enter__(self) -> _Worker:
        return self

    def __exit__(self, *_: object) -> None:
        self.connection.close()
        self._process.terminate()
        self._process.join()


def _serve(connection: Connection, work: Callable[..., object], begin: Callable[[], object]) -> None:
    """Report to the parent that this process has begun, then carry out tasks until the parent closes the connection."""
    try:
        connection.send((True, begin()))
        while True:
            connection.send((True, work(*connection.recv())))
    except (EOFError, BrokenPipeError):
        return
    except Exception as error:
        connection.send((False, error))
