"""More than anybody wants: links, hosts, fields and bytes."""

from __future__ import annotations

import gzip
from typing import Final

from benchmarks.hostile.behaviour import Behaviour, Exchange, Handler, http, page, said


def _packed(body: str) -> bytes:
    return http(gzip.compress(body.encode(), 5), fields=["Content-Encoding: gzip"])


class _LinkFlood:
    """Pages of new links, each with the next page first. Made once, when they are first asked for."""

    def __init__(self, links: int, target: str, pages: int = 4) -> None:
        self._links, self._target, self._pages = links, target, pages

    def bodies(self) -> list[bytes]:
        return [
            _packed(
                f"<a href=/odd/{number + 1}>next</a>"
                + "".join(f"<a href={self._target}{number}-{n}>" for n in range(self._links))
            )
            for number in range(self._pages)
        ]


def _flood(name: str, links: int, target: str, pages: int = 4) -> Behaviour:
    bodies = _LinkFlood(links, target, pages).bodies()

    async def send(exchange: Exchange) -> None:
        number = int(exchange.path.rpartition("/")[2])
        await exchange.send(bodies[number])

    return Behaviour(name, {f"/odd/{n}": send for n in range(pages)}, links=["/odd/0"])


def _packed_page(body: str) -> Handler:
    data = _packed(body)

    async def send(exchange: Exchange) -> None:
        await exchange.send(data)

    return send


_TEN_MB: Final = "".join(f"<p>{n} {'ten ' * 50}</p>" for n in range(50_000))

BEHAVIOURS: Final = [
    _flood("links", 250_000, "/f"),
    _flood("links-outside", 200_000, "http://outside.example/f"),
    _flood("hosts", 40_000, "http://h", 2),
    _flood("small-pages-of-links", 20_000, "/s", 6),
    Behaviour("long-urls", {"/odd": _packed_page("".join(f"<a href=/{n}/{'u' * 1900}>" for n in range(3000)))}),
    Behaviour("ten-megabytes", {f"/odd/{n}": _packed_page(_TEN_MB[: 10_000_000 - n]) for n in range(3)}),
    Behaviour("ten-megabytes-unpacked", {"/odd": said("<p>" + "x " * 4_900_000)}),
    Behaviour("too-large", {"/odd": said("y" * 12_000_000)}, expected={"/odd": "too_large"}),
    Behaviour("link-fields", {"/odd": said(page(), fields=[f"Link: </l/{n}>; rel=next" for n in range(400)])}),
    Behaviour("link-field-commas", {"/odd": said(page(), fields=["Link: " + "<a>;" * 14_000])}),
    Behaviour("robots-tags", {"/odd": said(page(), fields=["X-Robots-Tag: " + "noindex, " * 6000] * 5)}),
    Behaviour("long-validators", {"/odd": said(page(), fields=["ETag: " + "e" * 50_000, "Last-Modified: " + "m"])}),
    Behaviour("cookies", {"/odd": said(page(), fields=[f"Set-Cookie: c{n}={'v' * 500}" for n in range(300)])}),
    Behaviour("alternates", {"/odd": _packed_page("".join(f"<link rel=alternate href=/a?{n}>" for n in range(900)))}),
]
