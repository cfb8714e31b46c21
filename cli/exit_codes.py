"""The exit codes of the commands."""

from __future__ import annotations

from typing import Final

from hinterland.crawler.loop.decisions.endings import EndReason

OK: Final = 0
BUG: Final = 1
USAGE: Final = 2
STORE: Final = 3
FAULTS: Final = 17
INTERRUPTED: Final = 130


_GENERAL = {
    USAGE: "the command line, a setting, a graph file or every seed is wrong",
    STORE: "the store cannot be used: another crawl has it, it is not a store, or it holds a crawl already",
    FAULTS: "`audit --fail-on`: there are more faults than allowed",
    69: "the set-up of .venv failed",
}


def exit_code_table() -> str:
    """Return all exit codes with their meanings, for --help."""
    codes = [*_GENERAL.items(), *((each.exit_code, f"{each.label}: {each.sentence}") for each in EndReason)]
    lines = [f"  {code:>2}  {meaning}" for code, meaning in sorted(codes)]
    return "\n".join(["exit codes:", *lines])
