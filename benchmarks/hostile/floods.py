"""More than anybody wants: links, hosts, fields and bytes."""

from __future__ import annotations

import gzip
from collections.abc import Callable
from functools import partial
from typing import Final

from benchmarks.hostile.behaviour import Behaviour, Handler, MadeLate, page, said


def _packed(body: str) -> Handler:
    return said(gzip.compress(body.encode(), 5), fields=["Content-Encoding: gzip"])


def _packed_page(make: Callable[[], str]) -> Handler:
    return MadeLate(lambda: _packed(make()))


def _flood(name: str, links: int, target: str, pages: int = 4) -> Behaviour:
    """Pages of new links, each with the next page first."""

    def body(number: int) -> str:
        flood = "".join(f"<a href={target}{number}-{n}>" for n in range(links))
        return f"<a href=/odd/{number + 1}>next</a>{flood}"

    return Behaviour(name, {f"/odd/{n}": _packed_page(partial(body, n)) for n in range(pages)}, links=["/odd/0"])


def _ten_megabytes(number: int) -> str:
    return "".join(f"<p>{n} {'ten ' * 50}</p>" for n in range(50_000))[: 10_000_000 - number]


BEHAVIOURS: Final = [
    _flood("links", 250_000, "/f"),
    _flood("links-outside", 200_000, "http://outside.example/f"),
    _flood("hosts", 40_000, "http://h", 2),
    _flood("small-pages-of-links", 20_000, "/s", 6),
    Behaviour("long-urls", {"/odd": _packed_page(lambda: "".join(f"<a href=/{n}/{'u' * 1900}>" for n in range(3000)))}),
    Behaviour("ten-megabytes", {f"/odd/{n}": _packed_page(partial(_ten_megabytes, n)) for n in range(3)}),
    Behaviour("ten-megabytes-unpacked", {"/odd": said("<p>" + "x " * 4_900_000)}),
    Behaviour("too-large", {"/odd": said("y" * 12_000_000)}, expected={"/odd": "too_large"}),
    Behaviour("link-fields", {"/odd": said(page(), fields=[f"Link: </l/{n}>; rel=next" for n in range(400)])}),
    Behaviour("link-field-commas", {"/odd": said(page(), fields=["Link: " + "<a>;" * 14_000])}),
    Behaviour("robots-tags", {"/odd": said(page(), fields=["X-Robots-Tag: " + "noindex, " * 6000] * 5)}),
    Behaviour("long-validators", {"/odd": said(page(), fields=["ETag: " + "e" * 50_000, "Last-Modified: " + "m"])}),
    Behaviour("cookies", {"/odd": said(page(), fields=[f"Set-Cookie: c{n}={'v' * 500}" for n in range(300)])}),
    Behaviour(
        "alternates", {"/odd": _packed_page(lambda: "".join(f"<link rel=alternate href=/a?{n}>" for n in range(900)))}
    ),
]
