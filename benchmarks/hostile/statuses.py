"""Status codes: unusual ones, and hosts of which only some pages fail."""

from __future__ import annotations

from typing import Final

from benchmarks.hostile.behaviour import OK, Behaviour, Handler, at_first, http, page, raw, said

_BODY: Final = page("status", ["/good/1"])


def _one(status: str, outcome: str = "", *fields: str) -> Behaviour:
    expected = {"/odd": outcome} if outcome else {}
    return Behaviour(status.partition(" ")[0], {"/odd": said(_BODY, status, fields)}, expected=expected)


def _many(name: str, count: int, handler: Handler, good: int = 30) -> Behaviour:
    return Behaviour(name, {f"/odd/{n}": handler for n in range(count)}, good=good)


BEHAVIOURS: Final = [
    _one("201 Created", "fetched"),
    _one("203 Non-Authoritative", "fetched"),
    _one("205 Reset Content"),
    _one("206 Partial Content"),
    _one("226 IM Used"),
    _one("299 Strange"),
    _one("401 Unauthorized", "client_error", "WWW-Authenticate: Basic"),
    _one("402 Payment Required", "client_error"),
    _one("404 Not Found", "client_error"),
    _one("407 Proxy", "client_error"),
    _one("410 Gone", "client_error"),
    _one("418 Teapot", "client_error"),
    _one("421 Misdirected", "client_error"),
    _one("451 Legal", "client_error"),
    _one("500 Oops", "server_error"),
    _one("501 Never", "server_error"),
    _one("520 Unknown", "server_error"),
    _one("599 Last"),
    _one("600 Beyond"),
    _one("999 Denied"),
    _one("000 Zero"),
    Behaviour("busy-once", {"/odd": at_first(1, said("", "503 Busy", ["Retry-After: 1"]), OK)},
              expected={"/odd": "fetched"}),
    Behaviour("throttled-once", {"/odd": at_first(1, said("", "429 Slow", ["Retry-After: 1"]), OK)},
              expected={"/odd": "fetched"}),
    Behaviour("one-page-always-429", {"/odd": said("", "429 Slow")}, good=12),
    Behaviour("one-page-503-for-a-day", {"/odd": said("", "503 Busy", ["Retry-After: 86400"])}, good=12),
    Behaviour("retry-after-nonsense", {"/odd": said("", "503 Busy", ["Retry-After: soon, 1e9"])}, good=6),
    _many("ten-pages-502", 10, said("", "502 Bad Gateway")),
    _many("ten-pages-504", 10, said("", "504 Timeout"), good=12),
    _many("ten-pages-500", 10, said("", "500 Oops"), good=12),
    Behaviour("hundred-interim", {"/odd": raw(b"HTTP/1.1 102 Processing\r\n\r\n" * 100 + http(_BODY))}),
    Behaviour("continue", {"/odd": raw(b"HTTP/1.1 100 Continue\r\n\r\n" + http(_BODY))}, expected={"/odd": "fetched"}),
]  # fmt: skip
