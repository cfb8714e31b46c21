"""The commands that only read a store: what each is called with, and how many rows it has to hand on.

Those that compile what they compute with, which takes minutes on a busy machine, are left out.
"""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Final
from xml.etree import ElementTree as ET

from benchmarks.crawl_fuzzer.commands import Ended
from benchmarks.crawl_fuzzer.invariants import Finding, of_the_end, rows

Run = Callable[..., Ended]
_MAY_FIND_NOTHING: Final = (0, 3)
_LINES: Final = frozenset("\n\t")


def readings(store: Path, url: str, folder: Path, run: Run) -> Iterator[Finding]:
    """Every command that reads, on one store. url: a page of it."""
    for command in _commands(store, url):
        ended = run(*command)
        yield from of_the_end(ended, may=_MAY_FIND_NOTHING)
        yield from _clean(command, ended)
        if "--json" in command and ended.code == 0:
            yield from _readable(command, ended.out)
    yield from _exports(store, folder, run)


def _commands(store: Path, url: str) -> list[list[str]]:
    at = ["--store", str(store)]
    return [
        ["status", str(store)],
        ["changes", str(store)],
        ["changes", str(store), "--json"],
        ["links", "--broken", *at],
        ["links", "--broken", *at, "--json"],
        ["links", "--broken", *at, "--csv"],
        ["diff", url, *at],
        ["explain", url, *at, "--offline"],
        ["explain", url, *at, "--offline", "--json"],
    ]


def _clean(command: Sequence[str], ended: Ended) -> Iterator[Finding]:
    """Nothing that a page said may steer a terminal."""
    for name, text in (("stdout", ended.out), ("stderr", ended.err)):
        odd = {letter for letter in text if unicodedata.category(letter) in ("Cc", "Cf") and letter not in _LINES}
        if odd and "--json" not in command and "--csv" not in command:
            yield Finding("nothing steers a terminal", f"{command[0]}, {name}", f"{sorted(odd)!r}")


def _readable(command: Sequence[str], text: str) -> Iterator[Finding]:
    try:
        json.loads(text)
    except ValueError:
        try:
            [json.loads(line) for line in text.splitlines()]
        except ValueError as error:
            yield Finding("JSON can be read", " ".join(each for each in command if "/" not in each), str(error))


def _exports(store: Path, folder: Path, run: Run) -> Iterator[Finding]:
    """Files of others: as many rows as the tables have, and in a form that can be read."""
    pages = rows(store, "SELECT count(*) FROM page")[0][0]
    links = rows(store, "SELECT count(*) FROM link")[0][0]
    for form, what, expected in (
        ("jsonl", "pages", pages), ("jsonl", "links", links), ("csv", "pages", pages), ("graphml", "links", pages),
    ):  # fmt: skip
        path = folder / f"{what}.{form}"
        more = ["--with-text"] if form == "jsonl" and what == "pages" else []
        ended = run("export", str(store), "--format", form, "--what", what, "--output", str(path), "--force", *more)
        yield from of_the_end(ended, may=(0,))
        if ended.code == 0 and (told := _COUNTED[form](path)) != expected:
            yield Finding("exports are whole", f"{form} of {what}", f"{told} of {expected}")


def _json_lines(path: Path) -> int:
    return len([json.loads(line) for line in path.read_text(encoding="utf-8").split("\n") if line])


def _csv_rows(path: Path) -> int:
    import csv

    with path.open(encoding="utf-8", newline="") as file:
        return len(list(csv.reader(file))) - 1


def _nodes(path: Path) -> int:
    return len(ET.parse(path).getroot().findall(".//{*}node"))


_COUNTED: Final[dict[str, Callable[[Path], int]]] = {"jsonl": _json_lines, "csv": _csv_rows, "graphml": _nodes}
