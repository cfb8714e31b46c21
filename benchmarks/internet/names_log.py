"""The questions that the box's name server was asked, as a file of JSON lines that can be read while it grows."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Final

TYPE_NAMES: Final = {1: "A", 5: "CNAME", 6: "SOA", 28: "AAAA", 64: "SVCB", 65: "HTTPS"}


@dataclass(frozen=True, slots=True)
class Asked:
    """A logged question, received at monotonic seconds `at`, answered `seconds` later; `outcome` is one word."""

    at: float
    name: str
    type: str
    over_tcp: bool
    seconds: float
    outcome: str


class QuestionLog:
    """Writes questions to a file. What was added is in the file after `flush`."""

    def __init__(self, file: IO[str]) -> None:
        """Log to an open file."""
        self._file = file
        self._lines: list[str] = []

    def add(self, at: float, name: str, record_type: int, over_tcp: bool, seconds: float, outcome: str) -> None:
        """Add a question; see `Asked`."""
        type_name = TYPE_NAMES.get(record_type, str(record_type))
        self._lines.append(json.dumps([round(at, 6), name, type_name, over_tcp, round(seconds, 6), outcome]))

    def flush(self) -> None:
        """Write what was added since the last time."""
        if self._lines:
            self._file.write("\n".join(self._lines) + "\n")
            self._file.flush()
            self._lines.clear()


def read_questions(file: Path) -> list[Asked]:
    """Return all questions of a file; a last line that is still being written is left out."""
    lines = file.read_text(encoding="utf-8").splitlines(keepends=True)
    return [Asked(*json.loads(line)) for line in lines if line.endswith("\n")]


def questions_by_name(asked: Iterable[Asked]) -> dict[str, Counter[str]]:
    """Return how many questions of each type there were for each name."""
    counts: dict[str, Counter[str]] = {}
    for question in asked:
        counts.setdefault(question.name, Counter())[question.type] += 1
    return counts
