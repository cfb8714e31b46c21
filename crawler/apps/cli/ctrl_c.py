"""Ctrl-C in commands that compute. Python raises KeyboardInterrupt wherever it is, and numba's compiler must not be
hit by it: called back from LLVM it loses the exception, or makes another error of it."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from types import FrameType
from typing import Final

_COMPILER: Final = frozenset(("numba", "llvmlite"))
_AGAIN_SECONDS: Final = 0.05


@dataclass(slots=True)
class CtrlC:
    """is_pressed: since then, any exception may be what became of a KeyboardInterrupt."""

    is_pressed: bool = False


@contextmanager
def interruptible() -> Iterator[CtrlC]:
    """Until the block ends, Ctrl-C raises KeyboardInterrupt in the main thread as soon as nothing is being compiled.

    Does nothing where somebody else handles Ctrl-C.
    """
    ctrl_c = CtrlC()

    def press(number: int, frame: FrameType | None) -> None:
        ctrl_c.is_pressed = True
        if _is_compiling(frame):
            signal.setitimer(signal.ITIMER_REAL, _AGAIN_SECONDS)  # and ask again
        else:
            raise KeyboardInterrupt

    if signal.getsignal(signal.SIGINT) is not signal.default_int_handler:
        yield ctrl_c
        return
    alarm = signal.signal(signal.SIGALRM, press)
    signal.signal(signal.SIGINT, press)
    try:
        yield ctrl_c
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGINT, signal.default_int_handler)
        signal.signal(signal.SIGALRM, alarm)


def _is_compiling(frame: FrameType | None) -> bool:
    while frame is not None:
        if frame.f_globals.get("__name__", "").partition(".")[0] in _COMPILER:
            return True
        frame = frame.f_back
    return False
