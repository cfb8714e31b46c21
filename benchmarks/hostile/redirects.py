"""Redirects without end, without target, or to what is not a page."""

from __future__ import annotations

from typing import Final

from benchmarks.hostile.behaviour import Behaviour, Exchange, Handler, http, page, said


def _to(location: str, status: str = "302 Found", body: str = "") -> Handler:
    return said(body, status, [f"Location: {location}"])


async def _onward(exchange: Exchange) -> None:
    number = int(exchange.path.rpartition("/")[2] or 0)
    await exchange.send(http("", "302 Found", [f"Location: /on/{number + 1}"]))


async def _chain(exchange: Exchange) -> None:
    number = int(exchange.path.rpartition("/")[2])
    onward = f"/chain/{number + 1}" if number < 40 else "/good/1"
    await exchange.send(http("", "302 Found", [f"Location: {onward}"]))


async def _growing(exchange: Exchange) -> None:
    await exchange.send(http("", "302 Found", [f"Location: {exchange.path}/again"]))


def _one(name: str, handler: Handler, outcome: str = "bad_redirect") -> Behaviour:
    return Behaviour(name, {"/odd": handler}, expected={"/odd": outcome} if outcome else {})


BEHAVIOURS: Final = [
    _one("to-itself", _to("/odd")),
    Behaviour("loop-of-two", {"/odd": _to("/even"), "/even": _to("/odd")}, expected={"/odd": "redirected"}),
    Behaviour("endless", {"/on/0": _onward}, any_path=_onward),
    Behaviour("forty-hops", {"/chain/1": _chain}, any_path=_chain),
    Behaviour("growing", {"/odd": _growing}, any_path=_growing),
    _one("to-javascript", _to("javascript:alert(1)")),
    _one("to-mail", _to("mailto:you@example.org")),
    _one("to-data", _to("data:text/html,<a href=/>x</a>")),
    _one("to-nothing", _to(""), ""),
    _one("no-location", said("", "302 Found")),
    _one("very-long", _to("/" + "l" * 9000)),
    _one("not-utf8", said("", "302 Found", [b"Location: /good/\xff\xfe"]), "redirected"),
    _one("spaces", _to("/good/ 1 ?q= x"), "redirected"),
    _one("private", _to("http://10.0.0.1/"), "redirected"),
    _one("file", _to("file:///etc/passwd")),
    _one("with-a-megabyte", _to("/good/1", "301 Moved", "x" * 1_000_000), "redirected"),
    _one("multiple-choices", _to("/good/1", "300 Choose"), ""),
    _one("not-modified", _to("/good/1", "304 Not Modified"), ""),
    _one("userinfo", _to("http://user:secret@elsewhere.example/"), "redirected"),
    _one("two-locations", said("", "302 Found", ["Location: /good/1", "Location: /good/2"]), ""),
    _one("broken-url", _to("http://[::1/"), "bad_redirect"),
    Behaviour("refresh-loop", {"/odd": said("<meta http-equiv=refresh content='0; url=/even'>"),
                               "/even": said("<meta http-equiv=refresh content='0;/odd'>")}),
    Behaviour("refresh-to-itself", {"/odd": said("<meta http-equiv=refresh content=0>" + page())}),
]  # fmt: skip
