"""The command line, watched: by which functions a seed becomes the row of a link. `python -m tests.support.walk ...`.

Looked at are the points where it becomes something else, each the first time after the one before. From one to the
next, the walk goes back to the last function that both stacks have in common, and down the new stack. Prints one line
for each stay in a file: its name, and the functions there.
"""

from __future__ import annotations

import os
import sys
import threading
from itertools import takewhile
from pathlib import Path
from types import FrameType
from typing import Final

ROOT: Final = Path(__file__).parents[2]
POINTS: Final = (
    *("Canonicaliser.canonical", "KnownPages.add_seeds", "WaitingPages.add", "WaitingPages.take", "Fetcher.fetch"),
    *("ParserPool.parse", "KnownPages.add_links", "RecordWriter.submit", "LinkStore.write"),
    *("_transact", "statements_of"),
)
_PAGES_ONLY: Final = {"Fetcher.fetch": "PageVisits.carry_out"}
"""Points that count only below another function: a robots.txt is fetched first."""

Stop = tuple[str, str]
"""File and function."""


class Walk:
    """What sys.setprofile calls. Mutable: the stacks at the points so far, outermost function first."""

    def __init__(self) -> None:
        self.stacks: list[list[Stop]] = []

    def __call__(self, frame: FrameType, event: str, _: object) -> None:
        if event != "call" or len(self.stacks) == len(POINTS):
            return
        point = POINTS[len(self.stacks)]
        if frame.f_code.co_qualname == point:
            stack = _stack(frame)
            if point not in _PAGES_ONLY or any(function == _PAGES_ONLY[point] for _, function in stack):
                self.stacks.append(stack)

    def stays(self) -> list[tuple[str, list[str]]]:
        """File, and the functions there, in the order of the walk."""
        stays: list[tuple[str, list[str]]] = [("run.py", ["<module>"])]
        for before, stack in zip([[], *self.stacks], self.stacks, strict=False):
            common = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(before, stack, strict=False)))
            again = stack[common - 1 : common] if common and not _is_loop(stack[common - 1]) else []
            for file, function in (*again, *stack[common:]):
                if file != stays[-1][0]:
                    stays.append((file, []))
                stays[-1][1].append(function)
        return stays


def _stack(frame: FrameType | None) -> list[Stop]:
    stack = []
    while frame is not None:
        file = Path(os.path.realpath(frame.f_code.co_filename))  # hinterland/ has links to the folders at the top
        is_ours = (
            frame.f_code.co_filename.startswith("/")
            and file.is_relative_to(ROOT)
            and not file.is_relative_to(ROOT / ".venv")
        )
        if is_ours and not file.is_relative_to(ROOT / "tests") and not frame.f_code.co_name.startswith("<"):
            stack.append((str(file.relative_to(ROOT)), frame.f_code.co_qualname))
        frame = frame.f_back
    return stack[::-1]


def _is_loop(stop: Stop) -> bool:
    """Whether a function only runs the event loop, below which everything happens."""
    return stop == ("library/crawls/crawl_run.py", "run")


def main() -> None:
    """Carry out a command line and print its walk."""
    from hinterland.cli import main as run

    walk = Walk()
    threading.setprofile(walk)
    sys.setprofile(walk)
    run(sys.argv[1:])
    sys.setprofile(None)
    for file, functions in walk.stays():
        print("walked", file, *functions)


if __name__ == "__main__":
    main()
