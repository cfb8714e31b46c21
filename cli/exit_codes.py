"""The exit codes of the commands, and the errors that lead to them."""

from __future__ import annotations

from collections.abc import Collection
from typing import Final

from hinterland.crawler.loop.decisions.endings import EndReason

OK: Final = 0
BUG: Final = 1
USAGE: Final = 2
STORE: Final = 3
INTERRUPTED: Final = 130


class CommandError(Exception):
    """A command cannot do what it was asked to. The message says why, and what to do instead."""

    def __init__(self, message: str, exit_code: int = USAGE) -> None:
        super().__init__(message)
        self.exit_code = exit_code


class UnknownName(CommandError):
    """complaint: without what was probably meant."""

    def __init__(self, noun: str, given: str, known: Collection[str]) -> None:
        from hinterland.crawler.settings.near_names import with_nearest  # only now: brings all settings

        self.complaint = f'there is no {noun} "{given}"'
        super().__init__(with_nearest(self.complaint, given, known) if known else f"{self.complaint}, nor any other")


def require_known(noun: str, given: str, known: Collection[str]) -> None:
    """Raises UnknownName, with what was probably meant."""
    if given not in known:
        raise UnknownName(noun, given, known)


_GENERAL = {
    USAGE: "the command line, a setting, a graph file or every seed is wrong",
    STORE: "the store cannot be used: another crawl has it, it is not a store, or it holds a crawl already",
    69: "the set-up of .venv failed",
}


def exit_code_table() -> str:
    """All exit codes with their meaning, for --help."""
    codes = [*_GENERAL.items(), *((each.exit_code, f"{each.label}: {each.sentence}") for each in EndReason)]
    lines = [f"  {code:>2}  {meaning}" for code, meaning in sorted(codes)]
    return "\n".join(["exit codes:", *lines])
