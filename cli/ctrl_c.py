"""Ctrl-C and SIGTERM in commands that compute.

Python may raise KeyboardInterrupt at any point. Inside numba's compiler this must not happen: in a callback from LLVM,
the exception is lost or turned into another error.
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from types import FrameType
from typing import Final

_COMPILER: Final = frozenset(("numba", "llvmlite"))
_AGAIN_SECONDS: Final = 0.05


@dataclass(slots=True)
class CtrlC:
    """Whether the user has pressed Ctrl-C.

    After Ctrl-C, any exception may be a KeyboardInterrupt that was turned into another error.
    """

    is_pressed: bool = False


@contextmanager
def interruptible() -> Iterator[CtrlC]:
    """Let Ctrl-C raise KeyboardInterrupt inside the with block, but not while something is being compiled.

    It is raised in the main thread once no compilation is running. Does nothing if Ctrl-C has another handler already.
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


@contextmanager
def terminable() -> Iterator[None]:
    """Let SIGTERM do what Ctrl-C does inside the with block.

    systemd, timeout and schedulers stop a command with SIGTERM. The command can then end its processes, and say what
    happens to its work. SIGTERM works even where Ctrl-C is ignored, as in background jobs of a shell script.

    Does nothing if SIGTERM has another handler already, or outside the main thread.
    """
    is_ours = threading.current_thread() is threading.main_thread()
    if not is_ours or signal.getsignal(signal.SIGTERM) is not signal.SIG_DFL:
        yield
        return

    def press(_number: int, frame: FrameType | None) -> None:
        ctrl_c = signal.getsignal(signal.SIGINT)
        if callable(ctrl_c):
            ctrl_c(signal.SIGINT, frame)
        elif _is_compiling(frame):
            signal.signal(signal.SIGALRM, press)
            signal.setitimer(signal.ITIMER_REAL, _AGAIN_SECONDS)  # and ask again
        else:
            raise KeyboardInterrupt

    alarm = signal.getsignal(signal.SIGALRM)
    signal.signal(signal.SIGTERM, press)
    try:
        yield
    finally:
        if signal.getsignal(signal.SIGTERM) is press:
            signal.signal(signal.SIGTERM, signal.SIG_DFL)
        if signal.getsignal(signal.SIGALRM) is press:
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, alarm)


def _is_compiling(frame: FrameType | None) -> bool:
    while frame is not None:
        if frame.f_globals.get("__name__", "").partition(".")[0] in _COMPILER:
            return True
        frame = frame.f_back
    return False
