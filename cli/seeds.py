"""Seeds as people give them: on the command line and in files."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from hinterland.cli.exit_codes import CommandError
from hinterland.crawler.urls.canonical import Canonicaliser
from hinterland.crawler.urls.seed_slips import meant_seed, visible, without_note
from hinterland.crawler.urls.seeds import parse_seed, scheme_of_seed


@dataclass(frozen=True, slots=True)
class GivenSeed:
    """place: where it was given, such as "seeds.txt, line 3". note: what stood behind it in its line, other than a
    remark after "#"."""

    text: str
    place: str
    note: str = ""


@dataclass(frozen=True, slots=True)
class Seeds:
    """urls: canonical, distinct, in their order. complaints: the place and the reason of each bad one.

    assumptions: what each seed was taken for that has no scheme, or a slip in it.
    """

    urls: Sequence[str]
    complaints: Sequence[str]
    assumptions: Sequence[str] = ()


def seeds_in(lines: Iterable[str], file_name: str) -> list[GivenSeed]:
    """The seeds in a file: one per line, perhaps with a note behind it; blank lines and lines that begin with "#" are
    skipped."""
    seeds = []
    for number, line in enumerate(lines, 1):
        text, note = without_note(line)
        seen = visible(text)
        if seen and not seen.startswith("#"):
            seeds.append(GivenSeed(text, f"{file_name}, line {number}", note))
    return seeds


def read_seeds(given: Iterable[GivenSeed], canonicaliser: Canonicaliser) -> Seeds:
    urls: dict[str, None] = {}
    complaints: list[str] = []
    assumptions: list[str] = []
    for seed in given:
        meant = meant_seed(seed.text)
        if complaint := _complaint(meant):
            complaints.append(f"{seed.place}: {seed.text[:200]!r} {complaint}")
            continue
        try:
            url = canonicaliser.canonical(parse_seed(meant))
        except ValueError as error:
            complaints.append(f"{seed.place}: {error}")
            continue
        if url is None:
            length = f"longer than urls.max_length, {canonicaliser.max_length} characters"
            complaints.append(f"{seed.place}: {seed.text[:60]!r}... is {length}")
            continue
        urls[url] = None
        if meant != seed.text.strip() or seed.note:
            note = f", and {seed.note[:60]!r} for a note" if seed.note else ""
            assumptions.append(f"{seed.place}: {seed.text[:200]!r} is taken for {url}{note}")
        elif scheme_of_seed(seed.text):
            assumptions.append(f"{seed.text.strip()} is taken for {url}")
    return Seeds(list(urls), complaints, assumptions)


def _complaint(seed: str) -> str:
    """Why it is not used, and the way out; "" if it may be."""
    if "\ufffd" in seed:
        return "is not in UTF-8; save the file in UTF-8"
    if any(map(str.isspace, seed)):
        return "has a space in it; write %20 if the space belongs to the URL, or # before what follows if it is a note"
    if _NO_HOST.fullmatch(seed):
        return "names no host; write it as https://example.org/"
    return ""


_NO_HOST: Final = re.compile(r"(?:https?:/*+)?+(?:https?)?(?::\d*)?(?:[/?#].*)?", re.IGNORECASE | re.DOTALL)
"""What is left where a scheme would be taken for a host, or nothing follows it."""


def given_seeds(seeds: Sequence[str], file: str | None) -> list[GivenSeed]:
    """The seeds of the command line, then those of the file; "-" is stdin. Raises CommandError."""
    given = [GivenSeed(text, f"seed {number}") for number, text in enumerate(seeds, 1)]
    if file is None:
        return given
    try:
        octets = sys.stdin.buffer.read() if file == "-" else Path(file).read_bytes()
    except OSError as error:
        raise CommandError(f"the seeds cannot be read: {error}") from None
    encoding = "utf-16" if octets.startswith((b"\xff\xfe", b"\xfe\xff")) else "utf-8-sig"
    text = octets.decode(encoding, errors="replace")
    return given + seeds_in(text.splitlines(), "stdin" if file == "-" else file)
