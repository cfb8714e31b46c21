"""Seeds as people give them: on the command line and in files."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from crawler.apps.cli.exit_codes import CommandError
from crawler.urls.canonical import Canonicaliser
from crawler.urls.seeds import parse_seed, scheme_of_seed


@dataclass(frozen=True, slots=True)
class GivenSeed:
    """place: where it was given, such as "seeds.txt, line 3"."""

    text: str
    place: str


@dataclass(frozen=True, slots=True)
class Seeds:
    """urls: canonical, distinct, in their order. complaints: the place and the reason of each bad one.

    assumptions: the URL assumed for each seed without a scheme.
    """

    urls: Sequence[str]
    complaints: Sequence[str]
    assumptions: Sequence[str] = ()


def seeds_in(lines: Iterable[str], file_name: str) -> list[GivenSeed]:
    """The seeds in a file: one per line; blank lines and lines that begin with "#" are skipped."""
    return [
        GivenSeed(text, f"{file_name}, line {number}")
        for number, text in enumerate((line.strip() for line in lines), 1)
        if text and not text.startswith("#")
    ]


def read_seeds(given: Iterable[GivenSeed], canonicaliser: Canonicaliser) -> Seeds:
    urls: dict[str, None] = {}
    complaints: list[str] = []
    assumptions: list[str] = []
    for seed in given:
        try:
            url = canonicaliser.canonical(parse_seed(seed.text))
        except ValueError as error:
            complaints.append(f"{seed.place}: {error}")
            continue
        if url is None:
            length = f"longer than urls.max_length, {canonicaliser.max_length} characters"
            complaints.append(f"{seed.place}: {seed.text[:60]!r}... is {length}")
            continue
        urls[url] = None
        if scheme_of_seed(seed.text):
            assumptions.append(f"{seed.text.strip()} is taken for {url}")
    return Seeds(list(urls), complaints, assumptions)


def given_seeds(seeds: Sequence[str], file: str | None) -> list[GivenSeed]:
    """The seeds of the command line, then those of the file; "-" is stdin. Raises CommandError."""
    given = [GivenSeed(text, f"seed {number}") for number, text in enumerate(seeds, 1)]
    if file is None:
        return given
    try:
        octets = sys.stdin.buffer.read() if file == "-" else Path(file).read_bytes()
    except OSError as error:
        raise CommandError(f"the seeds cannot be read: {error}") from None
    text = octets.decode("utf-8-sig", errors="replace")
    return given + seeds_in(text.splitlines(), "stdin" if file == "-" else file)
