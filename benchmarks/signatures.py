"""What signing requests costs: a signature, a request with one, and crawls whose requests are all signed or none.

    python -m benchmarks.signatures --pairs 5

Small pages of several hosts are served by another process. Each pair of crawls, one signed and one not, in turn first,
is compared by CPU time of the crawl and its parser processes. Every host gets one signature in five minutes, so
many hosts with few pages are the worst case.
"""

from __future__ import annotations

import argparse
import asyncio
import multiprocessing
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Final

from hinterland.crawler.features.web_bot_auth.keys import make_key
from hinterland.crawler.features.web_bot_auth.signer import Signer
from hinterland.crawler.fetching.access.access import Asked
from hinterland.crawler.fetching.access.target import target_of

ROOT: Final = Path(__file__).parents[1]
AGENT: Final = "https://crawler.example"
_WORDS: Final = "<p>" + "A paragraph of a page that has about as many words as those of a manual. " * 40


def page(path: str, pages: int) -> bytes:
    """Return an answer: a page with links to the next ones, or no robots.txt."""
    number = path.strip("/") or "0"
    if not number.isdecimal():
        return b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n"
    links = "".join(f'<a href="/{(int(number) + step) % pages}">page {step}</a> ' for step in range(1, 21))
    body = f"<!doctype html><title>Page {number}</title><h1>Page {number}</h1>{_WORDS}{links}".encode()
    return b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: %d\r\n\r\n%s" % (len(body), body)


def serve(told: Connection, pages: int) -> None:
    """Serve until the process is ended; tell the port, and in the end how many requests were signed."""

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while head := await reader.readuntil(b"\r\n\r\n"):
                writer.write(page(head.split(b" ", 2)[1].decode(), pages))
        except (asyncio.IncompleteReadError, ConnectionError):
            writer.close()

    async def run() -> None:
        server = await asyncio.start_server(answer, "127.0.0.1", 0)
        told.send(server.sockets[0].getsockname()[1])
        await server.serve_forever()

    asyncio.run(run())


def cpu_of_crawl(folder: Path, port: int, hosts: int, *, is_signed: bool) -> float:
    """Crawl all hosts into a new store; return the CPU time in seconds."""
    store = folder / "store.db"
    for file in folder.glob("store.db*"):
        file.unlink()
    names = [f"host{number}.test" for number in range(hosts)]
    addresses = "{" + ", ".join(f'"{name}" = "127.0.0.1"' for name in names) + "}"
    settings = [
        f"fetching.addresses={addresses}", 'fetching.allow_networks=["127.0.0.0/8"]', "politeness.delay_seconds=0.01",
        "politeness.delay_factor=0", "politeness.address_delay_seconds=0", "politeness.address_connections=1000",
    ]  # fmt: skip
    if is_signed:
        settings += [f"signatures.key={folder / 'key.pem'}", f"signatures.agent={AGENT}", 'signatures.hosts=["*"]']
    command = [sys.executable, "-m", "hinterland", "crawl", *(f"http://{name}:{port}/" for name in names)]
    command += ["--store", str(store), *(part for each in settings for part in ("--set", each))]
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    assert done.returncode == 0, done.stderr[-1_000:]
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def microseconds(folder: Path, rounds: int) -> tuple[float, float]:
    """Return the CPU time of a new signature, and of a request to a host that has one, in µs."""
    key, _ = make_key(folder)
    numbers = iter(range(sys.maxsize))
    signer = Signer(lambda: key, AGENT, hosts=["*"], nonce=lambda: f"nonce{next(numbers)}")
    target = target_of("https://a.example/page")
    assert target is not None
    times = []
    for step in (1000.0, 0.0):
        began = time.process_time()
        for turn in range(rounds):
            signer.access(Asked(target, 1e9 + turn * step))
        times.append((time.process_time() - began) / rounds * 1e6)
    return times[0], times[1]


def main() -> None:
    """Measure, and print what was measured."""
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--pairs", type=int, default=5)
    arguments.add_argument("--hosts", type=int, default=40)
    arguments.add_argument("--pages", type=int, default=25, help="of each host")
    given = arguments.parse_args()
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        new, kept = microseconds(folder, 5_000)
        print(f"a new signature {new:.1f} µs, a request with one {kept:.2f} µs")
        heard, told = multiprocessing.Pipe()
        server = multiprocessing.Process(target=serve, args=(told, given.pages), daemon=True)
        server.start()
        port = heard.recv()
        ratios, pages, cpu = list[float](), given.hosts * given.pages, dict[bool, float]()
        for pair in range(given.pairs):
            order = (True, False) if pair % 2 else (False, True)
            cpu = {each: cpu_of_crawl(folder, port, given.hosts, is_signed=each) for each in order}
            ratios.append(cpu[True] / cpu[False])
            print(
                f"{pages} pages: signed {cpu[True]:.2f} s, not {cpu[False]:.2f} s, ratio {ratios[-1]:.3f}", flush=True
            )
        server.terminate()
        server.join()
    share = (given.hosts * new + pages * kept) / 1e6 / cpu[False]
    print(f"ratios: median {statistics.median(ratios):.3f}, {min(ratios):.3f} to {max(ratios):.3f}")
    print(f"signatures by themselves: {share:.2%} of the CPU time of the last crawl without")


if __name__ == "__main__":
    main()
