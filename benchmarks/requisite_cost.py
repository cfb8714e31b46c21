"""Processor time of a file that a crawl with --requisites and --warc fetches, beside that of a bare request and record.

    python -m benchmarks.requisite_cost [--pages 15] [--files 30] [--hosts 20] [--bytes 2000] [--rounds 1]

Each host (an address of this machine, all served by one process) has pages that link to each other, and each page shows
pictures of its own. The site is crawled with and without requisites, and the difference is divided by the number of
files. In between, a bare GET by aiohttp is measured on an event loop like the crawl's, without and with a record that
zlib packs and that is written to a file: the least that a file costs with aiohttp. On a machine that does other things
as well, only the ratios of one run mean something; --rounds repeats all measurements in turn, and medians are shown.
"""

from __future__ import annotations

import argparse
import asyncio
import hashlib
import multiprocessing
import os
import resource
import subprocess
import sys
import tempfile
import zlib
from pathlib import Path
from statistics import median

import aiohttp
import uvloop
from aiohttp import web

from tests.support.crawling import rows

_PORT = 18_990
_QUICK = (
    *("politeness.delay_seconds=0", "politeness.delay_factor=0", "politeness.address_delay_seconds=0"),
    *("politeness.address_connections=1000", 'fetching.allow_networks=["127.0.0.0/8"]', "parsing.processes=1"),
    "sitemaps.use=never",
)


def serve(pages: int, files: int, size: int) -> None:
    """Serve the pages and pictures of all hosts."""
    blob = os.urandom(size)

    async def page(request: web.Request) -> web.Response:
        number = int(request.match_info["number"] or 0)
        links = "".join(f"<a href=/{each}>{each}</a>" for each in range(3 * number + 1, 3 * number + 4) if each < pages)
        pictures = "".join(f"<img src=/{number}-{each}.png>" for each in range(files))
        return web.Response(text=f"<title>{number}</title>{links}{pictures}", content_type="text/html")

    async def picture(request: web.Request) -> web.Response:
        return web.Response(body=request.path.ljust(24).encode() + blob, content_type="image/png")

    app = web.Application()
    app.add_routes([web.get(r"/{name:\d+-\d+\.png}", picture), web.get(r"/{number:\d*}", page)])
    web.run_app(app, host="0.0.0.0", port=_PORT, print=lambda *_: None)


def crawled(seeds: list[str], options: list[str]) -> tuple[float, int]:
    """Return the seconds of processor time of a crawl, and how many requisites it fetched."""
    with tempfile.TemporaryDirectory() as folder:
        store, warc = f"{folder}/s.db", f"{folder}/warc"
        settings = [word for each in _QUICK for word in ("--set", each)]
        command = [sys.executable, "-m", "hinterland", "crawl", *seeds, "--store", store, "--warc", warc, *settings]
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run([*command, *options], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        [(files,)] = rows(Path(store), "SELECT count(*) FROM requisite WHERE outcome = 'fetched'")
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, files


async def bare(hosts: list[str], files: int, *, with_record: bool) -> None:
    """Get pictures by aiohttp, one at a time from each host, and write a record of each."""
    async with aiohttp.ClientSession(auto_decompress=False) as session:
        with tempfile.TemporaryFile(buffering=0) as archive:

            async def one(host: str) -> None:
                for number in range(files // len(hosts)):
                    async with session.get(f"{host}/{number}-1.png") as answer:
                        body = await answer.read()
                    if with_record:
                        head = b"".join(name + b": " + value + b"\r\n" for name, value in answer.raw_headers)
                        packer = zlib.compressobj(6, wbits=31)
                        record = packer.compress(hashlib.sha1(body).digest() + head + body)
                        archive.write(record + packer.flush())

            await asyncio.gather(*map(one, hosts))


def bare_cost(hosts: list[str], files: int, *, with_record: bool) -> float:
    """Return the milliseconds of processor time of a bare GET."""
    before = resource.getrusage(resource.RUSAGE_SELF)
    uvloop.run(bare(hosts, files, with_record=with_record))
    after = resource.getrusage(resource.RUSAGE_SELF)
    return 1000 * (after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime) / files


def main() -> None:
    """Measure and tell."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name, usual in (("pages", 15), ("files", 30), ("hosts", 20), ("bytes", 2000), ("rounds", 1)):
        parser.add_argument(f"--{name}", type=int, default=usual)
    given = parser.parse_args()
    server = multiprocessing.Process(target=serve, args=(given.pages, given.files, given.bytes), daemon=True)
    server.start()
    hosts = [f"http://127.0.0.{number + 2}:{_PORT}" for number in range(given.hosts)]
    costs: list[tuple[float, float, float]] = []
    try:
        for _ in range(given.rounds):
            without, _ = crawled(hosts, [])
            with_files, files = crawled(hosts, ["--requisites", "site"])
            each = 1000 * (with_files - without) / files
            get, record = (bare_cost(hosts, files, with_record=what) for what in (False, True))
            costs.append((each, get, record))
            print(f"{files} requisites: {each:.2f} ms each; bare GET {get:.2f}, with a record {record:.2f}", flush=True)
    finally:
        server.terminate()
        server.join()
    each, get, record = (median(column) for column in zip(*costs, strict=True))
    print(f"a requisite: {each:.2f} ms, {each / record:.2f} times a bare GET with a record")
    print(f"beyond a bare GET: {each - get:.2f} ms; beyond a bare GET with a record: {each - record:.2f} ms")


if __name__ == "__main__":
    main()
