"""What becomes of PDFs in the parser processes, real ones and hostile ones.

    python -m benchmarks.documents.pdfs FOLDER...      # every *.pdf in them, each content once
    python -m benchmarks.documents.pdfs --hostile      # those of tests/support/hostile_documents.py

Of each that is hostile or fails: its outcome, the time by the clock and the most memory that a process of the pool had
meanwhile; of all together how much text, how many links. Under the default settings: 10 s of CPU, 384 MiB a process,
and 10 MiB as sent.
"""

from __future__ import annotations

import argparse
import asyncio
import hashlib
import os
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path

from hinterland.crawler.parsing.messages import PageDigest, RawPage
from hinterland.crawler.parsing.pool.config import parser_config
from hinterland.crawler.parsing.pool.parsers import ParserPool
from hinterland.crawler.settings import load_settings
from hinterland.storage.values.compression import unpacked
from tests.support.hostile_documents import HOSTILE_PDFS

_LOOK_SECONDS = 0.02


def main() -> None:
    """Read the PDFs of the folders, or the hostile ones, and print what they cost."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="*", type=Path)
    parser.add_argument("--hostile", action="store_true")
    arguments = parser.parse_args()
    if arguments.hostile:
        asyncio.run(_read([(name, make()) for name, make in HOSTILE_PDFS.items()], is_told=True))
    if arguments.folders:
        asyncio.run(_read(list(_real(arguments.folders)), is_told=False))


def _real(folders: Sequence[Path]) -> Iterator[tuple[str, bytes]]:
    seen = set()
    for file in sorted(file for folder in folders for file in folder.rglob("*.pdf")):
        body = file.read_bytes()
        digest = hashlib.sha256(body).digest()
        if digest not in seen and body:
            seen.add(digest)
            yield str(file), body


async def _read(documents: Sequence[tuple[str, bytes]], *, is_told: bool) -> None:
    settings = load_settings(None, "", {}, ["fetching.documents=pdf"], {}).settings
    outcomes, cut, characters, links, languages, titles, slowest = Counter[str](), 0, [], 0, 0, 0, (0.0, "")
    most_memory = (0, "")
    config = parser_config(settings)
    started = time.monotonic()
    async with ParserPool(config, processes=1, timeout_seconds=settings.parsing.timeout_seconds) as pool:
        for name, body in documents:
            if len(body) > settings.fetching.max_body_bytes:
                outcomes["too_large"] += 1
                continue
            begun = time.monotonic()
            digest, memory = await _watched(pool, RawPage("http://a.test/a.pdf", body, "", "application/pdf"))
            seconds = time.monotonic() - begun
            slowest = max(slowest, (seconds, name))
            most_memory = max(most_memory, (memory, name))
            outcomes[digest.failure or "fetched"] += 1
            if digest.page is not None:
                text = "".join(unpacked(digest.text).split())
                characters.append(len(text))
                links += len(digest.page.link_urls)
                languages += bool(digest.page.language)
                titles += bool(digest.page.title)
                cut += bool(digest.page.cut)
            if is_told or digest.failure:
                told = digest.detail if digest.page is None else f"{characters[-1]:,} characters, cut {digest.page.cut}"
                print(f"{name:34} {digest.failure or 'fetched':14} {seconds:6.2f} s {memory >> 20:4} MiB  {told}")
        counts = ", ".join(f"{count} {outcome}" for outcome, count in outcomes.most_common())
        print(f"{len(documents)} documents in {time.monotonic() - started:.0f} s: {counts}")
        print(f"  {sum(characters):,} characters, {sum(count >= 100 for count in characters)} with 100 or more;")
        print(f"  {links:,} links, {titles} titles, {languages} languages, {cut} cut")
        print(f"  slowest {slowest[0]:.2f} s ({slowest[1]}); most memory {most_memory[0] >> 20} MiB ({most_memory[1]})")
        print(f"  parser processes replaced: {pool.restarts}")


async def _watched(pool: ParserPool, raw: RawPage) -> tuple[PageDigest, int]:
    """Return the digest, and the largest memory that a descendant of this process had meanwhile."""
    parsing, most = asyncio.ensure_future(pool.parse(raw)), 0
    while not parsing.done():
        await asyncio.wait([parsing], timeout=_LOOK_SECONDS)
        most = max([most, *(_resident(process) for process in _descendants(os.getpid()))])
    return parsing.result(), most


def _descendants(process: int) -> Iterator[int]:
    with suppress(OSError):
        for child in Path(f"/proc/{process}/task/{process}/children").read_text().split():
            yield int(child)
            yield from _descendants(int(child))


def _resident(process: int) -> int:
    with suppress(OSError, StopIteration):
        lines = Path(f"/proc/{process}/status").read_text().splitlines()
        return 1024 * int(next(line for line in lines if line.startswith("VmRSS")).split()[1])
    return 0


if __name__ == "__main__":
    main()
