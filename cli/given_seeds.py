"""The seeds on the command line and in the file that it names."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

from hinterland.library.crawls.seeds import GivenSeed, seeds_in
from hinterland.library.errors import HinterlandError


def given_seeds(seeds: Sequence[str], file: str | None) -> list[GivenSeed]:
    """Return the seeds on the command line, followed by the seeds in the file; "-" is stdin. Raises HinterlandError."""
    given = [GivenSeed(text, f"seed {number}") for number, text in enumerate(seeds, 1)]
    if file is None:
        return given
    try:
        octets = sys.stdin.buffer.read() if file == "-" else Path(file).read_bytes()
    except OSError as error:
        raise HinterlandError(f"the seeds cannot be read: {error}") from None
    encoding = "utf-16" if octets.startswith((b"\xff\xfe", b"\xfe\xff")) else "utf-8-sig"
    text = octets.decode(encoding, errors="replace")
    return given + seeds_in(text.splitlines(), "stdin" if file == "-" else file)
