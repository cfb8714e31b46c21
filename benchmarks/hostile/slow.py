"""Answers that take their time, or never come."""

from __future__ import annotations

import asyncio
from itertools import repeat
from typing import Final

from benchmarks.hostile.behaviour import Behaviour, Exchange, Handler, http, page, slowly, stall

_PAGE: Final = http(page("slow but whole"))
_CHUNKED: Final = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nTransfer-Encoding: chunked\r\n\r\n"


def _pieces(data: bytes, size: int) -> list[bytes]:
    return [data[start : start + size] for start in range(0, len(data), size)]


async def _waits(exchange: Exchange) -> None:
    await asyncio.sleep(1.5)
    await exchange.send(_PAGE)


def _one(name: str, handler: Handler, outcome: str) -> Behaviour:
    return Behaviour(name, {"/odd": handler}, expected={"/odd": outcome} if outcome else {})


_HEAD: Final = http("", length=5_000_000)

BEHAVIOURS: Final = [
    _one("never", stall(), "first_byte_timeout"),
    _one("thinks", _waits, "fetched"),
    _one("head-byte-by-byte", slowly(_pieces(_PAGE, 40), 0.05), "fetched"),
    _one("head-never-ends", slowly(repeat(b"X-More: and more\r\n"), 0.3), ""),
    _one("body-in-time", slowly(_pieces(_PAGE, 60), 0.1), "fetched"),
    _one("body-dribbles", slowly([_HEAD, *repeat(b"x", 200)], 0.2), ""),
    _one("stall-after-head", stall(_HEAD), ""),
    _one("stall-in-body", stall(http("x" * 20_000, length=30_000)), ""),
    _one("stall-in-chunk", stall(_CHUNKED + b"fff\r\nhalf of it"), ""),
    _one("tiny-chunks", slowly([_CHUNKED, *repeat(b"1\r\nx\r\n", 40), b"0\r\n\r\n"], 0.03), "fetched"),
    _one("interim-answers", slowly(repeat(b"HTTP/1.1 103 Early\r\nLink: </x>\r\n\r\n"), 0.3), ""),
    _one("no-last-chunk", stall(_CHUNKED + b"4\r\nabcd\r\n"), ""),
    Behaviour("all-of-it", {f"/odd/{n}": stall() for n in range(4)}, good=8),
]
