"""What sitemaps cost that mean harm, or are as large as they may be: outcome, CPU, memory, entries.

    python -m benchmarks.hostile_sitemaps

Each is read as a crawl reads it, in blocks, up to the 50 MiB unpacked and the 50,000 entries of sitemaps.org; a crawl
fetches no more than sitemaps.max_bytes of one. Memory is what the reading adds to the body.
"""

from __future__ import annotations

import gzip
import io
from collections.abc import Callable, Iterator
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from time import process_time
from typing import Final

from hinterland.crawler.features.sitemaps.known_sitemaps import KnownSitemaps
from hinterland.crawler.features.sitemaps.reader import SitemapReader
from hinterland.crawler.features.sitemaps.rows import Retirement
from hinterland.crawler.urls.canonical import Canonicaliser

HOST: Final = "https://a.test"
ROOT: Final = f"{HOST}/sitemap.xml"
_MIB: Final = 1 << 20
_BLOCK: Final = 65_536
_DAY: Final = 86_400.0


def _urlset(count: int, padding: int = 0) -> bytes:
    body = io.BytesIO()
    body.write(b'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">')
    for number in range(count):
        body.write(b"<url><loc>%s/%d</loc><lastmod>2024-05-01</lastmod>" % (HOST.encode(), number))
        body.write(b"<x>" + b"y" * padding + b"</x></url>")
    return body.getvalue() + b"</urlset>"


def _bomb(unpacked: int) -> bytes:
    packed = io.BytesIO()
    with gzip.GzipFile(fileobj=packed, mode="wb", compresslevel=9) as file:
        file.write(b"<urlset>")
        for _ in range(unpacked // _MIB):
            file.write(b" " * _MIB)
    return packed.getvalue()


LAUGHS: Final = "".join(f'<!ENTITY a{n} "{f"&a{n - 1};" * 10}">' for n in range(1, 20))

BODIES: Final[dict[str, Callable[[], bytes]]] = {
    "50,000 URLs, 5 MB": lambda: _urlset(50_000),
    "50,000 URLs, 49 MB": lambda: _urlset(50_000, 950),
    "50,000 URLs, 49 MB, gzip": lambda: gzip.compress(_urlset(50_000, 950)),
    "100,000 URLs": lambda: _urlset(100_000),
    "70 MB": lambda: _urlset(50_000, 1_350),
    "gzip bomb, 1 GB in 1 MB": partial(_bomb, 1 << 30),
    "gzip bomb of 100 members": lambda: gzip.compress(b"<urlset>") + gzip.compress(b" " * 4 * _MIB) * 100,
    "a thousand million laughs": (
        f'<!DOCTYPE urlset [<!ENTITY a0 "ha">{LAUGHS}]><urlset><url><loc>{HOST}/&a19;</loc></url></urlset>'.encode
    ),
    "elements in elements": lambda: b"<urlset>" + b"<a>" * 10_000_000,
    "empty elements, 48 MB": lambda: b"<urlset>" + b"<a/>" * 12_500_000,
    "one line, 50 MB": lambda: f"{HOST}/".encode() + b"a" * 50_000_000,
}


def _read(name: str) -> str:
    """Read a sitemap and return its cost; it runs in a process of its own, so that its memory can be measured."""
    body = BODIES[name]()
    Path("/proc/self/clear_refs").write_text("5", encoding="ascii")  # this resets the peak, see proc(5)
    before, began = _peak_mib(), process_time()
    reader, entries = SitemapReader(), 0
    for start in range(0, len(body), _BLOCK):
        entries += len(reader.feed(body[start : start + _BLOCK]))
        if reader.is_finished:
            break
    entries += len(reader.close())
    seconds, grown = process_time() - began, _peak_mib() - before
    reading = reader.reading
    told = f"{reading.outcome:18} {entries:7,} entries {reading.bytes / _MIB:7.1f} MiB read"
    return f"{name:28} {len(body) / _MIB:7.1f} MiB  {told} {seconds:6.2f} s CPU {grown:6.1f} MiB more"


def _peak_mib() -> float:
    [line] = [each for each in Path("/proc/self/status").read_text(encoding="ascii").splitlines() if "VmHWM" in each]
    return int(line.split()[1]) / 1024


def _loops() -> Iterator[str]:
    """Indexes that name themselves and each other, and one that names 15,000 others whenever it is read."""
    for name, minted in (("indexes that name each other", 0), ("10⁵ ephemeral sitemaps", 15_000)):
        began, sitemaps, asked, named = process_time(), KnownSitemaps(), 0, 0
        sitemaps.robots_read(HOST, [ROOT], 0.0)
        for hour in range(90 * 24):
            now = hour * 3_600.0
            for _ in range(360):
                sitemaps.page_visited(HOST)
            while (row := sitemaps.next_due(now)) is not None:
                asked += 1
                names = [ROOT, f"{HOST}/b.xml", row.url]
                if minted and row.url == ROOT:
                    names = [f"{HOST}/{named + number}.xml" for number in range(minted)]
                    named += minted
                is_page = bool(minted) and row.url != ROOT
                visit = sitemaps.visit(row.url, Canonicaliser())
                visit.feed(_urlset(20) if is_page else _index(names))
                visit.close()
                sitemaps.read(visit, now)
        rows = sitemaps.of_host(HOST)
        root = next(row for row in rows if row.url == ROOT)
        retired = "in use" if root.retired is None else Retirement(root.retired).value
        share = asked / (90 * 24 * 360)
        told = f"{named:,} named, {len(rows):,} kept, asked {asked:,} times in 90 days ({share:.2%} of the visits)"
        yield f"{name:28} {told}, root {retired}, {process_time() - began:.1f} s CPU"


def _index(urls: list[str]) -> bytes:
    return f"<sitemapindex>{''.join(f'<sitemap><loc>{url}</loc></sitemap>' for url in urls)}</sitemapindex>".encode()


def main() -> None:
    """Read the hostile sitemaps in a process each, and print what they cost."""
    with get_context("spawn").Pool(1, maxtasksperchild=1) as pool:
        for line in pool.imap(_read, BODIES):
            print(line, flush=True)
    for line in _loops():
        print(line, flush=True)


if __name__ == "__main__":
    main()
