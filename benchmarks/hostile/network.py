"""Connections that are refused, reset, closed or kept waiting."""

from __future__ import annotations

import asyncio
from typing import Final

from benchmarks.hostile.behaviour import OK, Behaviour, Exchange, at_first, http, page, raw, reset, stall

_PAGE: Final = http(page("network"))


class _Every:
    """Every n-th connection is reset before anything is read."""

    def __init__(self, n: int) -> None:
        self._n = n
        self._count = 0

    async def __call__(self, exchange: Exchange) -> bool:
        self._count += 1
        if self._count % self._n == 0:
            exchange.reset()
            return True
        return False


class _After:
    """Serves a number of connections, then none."""

    def __init__(self, served: int) -> None:
        self._left = served

    async def __call__(self, exchange: Exchange) -> bool:
        self._left -= 1
        if self._left < 0:
            exchange.reset()
        return self._left < 0


async def _resets(exchange: Exchange) -> bool:
    exchange.reset()
    return True


async def _closes(exchange: Exchange) -> bool:
    exchange.close()
    return True


async def _talks_first(exchange: Exchange) -> bool:
    await exchange.send(b"220 mail.example ESMTP ready\r\n")
    await asyncio.sleep(0.2)
    exchange.close()
    return True


async def _says_nothing(exchange: Exchange) -> bool:
    await exchange.wait_for_client_to_leave()
    return True


BEHAVIOURS: Final = [
    Behaviour("refused", serves=False, good=0),
    Behaviour("private-address", serves=False, good=0, address="10.1.2.3"),
    Behaviour("every-address", serves=False, good=0, address="0.0.0.0"),
    Behaviour("reset-at-once", good=0, at_connect=_resets),
    Behaviour("closed-at-once", good=0, at_connect=_closes),
    Behaviour("mail-server", good=0, at_connect=_talks_first),
    Behaviour("accepts-and-waits", good=0, at_connect=_says_nothing),
    Behaviour("dies-on-the-way", {"/odd": OK}, good=0, at_connect=_After(4)),
    Behaviour("every-third-reset", {"/odd": OK}, at_connect=_Every(3)),
    Behaviour("page-resets", {"/odd": reset()}, expected={"/odd": "disconnected"}),
    Behaviour("resets-in-head", {"/odd": reset(_PAGE[:30])}, expected={"/odd": "disconnected"}),
    Behaviour("resets-in-body", {"/odd": reset(http("x" * 500, length=9000))}),
    Behaviour("reset-once", {"/odd": at_first(1, reset(), OK)}, expected={"/odd": "fetched"}),
    Behaviour("closes-without-a-word", {"/odd": raw(_PAGE, close=True)}, expected={"/odd": "fetched"}),
    Behaviour("stalls-then-fine", {"/odd": at_first(1, stall(), OK)}, expected={"/odd": "fetched"}),
    Behaviour("talks-on", {"/odd": raw(_PAGE + b"and more " * 5000)}),
]
