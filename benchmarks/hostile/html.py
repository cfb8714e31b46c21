"""HTML that is deep, long, broken or says the same a thousand times."""

from __future__ import annotations

import gzip
from typing import Final

from benchmarks.hostile.behaviour import Behaviour, MadeLate, page, said

_MANY: Final = 20_000


def _one(name: str, body: str, outcome: str = "") -> Behaviour:
    """Packed, as hostile pages come."""
    handler = MadeLate(lambda: said(gzip.compress(body.encode(), 5), fields=["Content-Encoding: gzip"]))
    return Behaviour(name, {"/odd": handler}, expected={"/odd": outcome} if outcome else {})


BEHAVIOURS: Final = [
    _one("nested-divs", "<div>" * 100_000),
    _one("nested-very-deep", "<div>" * 400_000 + "x"),
    _one("nested-headings", "<h1><div>" * 400 + "x" * 250_000, "fetched"),
    _one("nested-anchors", "".join(f"<a href=a{n}><table><td>" for n in range(400)) + "x" * 250_000),
    _one("nested-tables", "<table><tr><td>" * 5000),
    _one("nested-templates", "<template>" * 5000),
    _one("nested-svg", "<svg>" * 5000 + "<a href=/good/1>x"),
    _one("nested-formatting", "".join(f"<b id={n}>" for n in range(5000)) + "<p>x" * 500),
    _one("adoption", "<a><p>" * 4000 + "</a>" * 4000),
    _one("foster-parents", "<table>" + "<b>x" * 8000),
    _one("attributes", "<p " + " ".join(f"a{n}=1" for n in range(30_000)) + ">x"),
    _one("attributes-very-many", "<p " + " ".join(f"a{n}=1" for n in range(300_000)) + ">x"),
    _one("long-attribute", f"<p title='{'x' * 5_000_000}'>x", "fetched"),
    _one("long-title", f"<title>{'title ' * 300_000}</title>", "fetched"),
    _one("long-description", f"<meta name=description content='{'d' * 3_000_000}'>", "fetched"),
    _one("long-language", f"<html lang='{'e' * 500_000}'>", "fetched"),
    _one("long-text", "word " * 1_900_000, "fetched"),
    _one("many-headings", "<h2>x</h2>" * 300_000, "fetched"),
    _one("large-headings", f"<h2>{'large ' * 1500}</h2>" * 900, "fetched"),
    _one("large-anchors", "".join(f"<a href=/good/1?{n} rel=nofollow>{'z' * 300}</a>" for n in range(_MANY))),
    _one("many-breaks", "<br>" * 1_000_000),
    _one("comment-without-end", page() + "<!--" + "x" * 1_000_000),
    _one("script-without-end", page() + "<script>" + "<a href=/no>" * _MANY),
    _one("plaintext", page() + "<plaintext>" + "<a href=/no>" * 100, "fetched"),
    _one("entities", "&amp;&lt;&notit;&#x110000;&#0;" * 60_000, "fetched"),
    _one("billion-laughs", '<!DOCTYPE lolz [<!ENTITY a "lol"><!ENTITY b "&a;&a;&a;">]><p>&b;', "fetched"),
    _one("base-javascript", "<base href='javascript:x'>" + page("x", ["good/1"]), "fetched"),
    _one("base-elsewhere", "<base href='http://elsewhere.example/'>" + page("x", ["good/1"]), "fetched"),
    _one("many-canonicals", "".join(f"<link rel=canonical href=/c/{n}>" for n in range(2000)), "fetched"),
    _one("many-refreshes", "<meta http-equiv=refresh content='0;/good/1'>" * 10_000, "fetched"),
    _one("many-directives", "<meta name=robots content='" + "follow, " * 200_000 + "'>", "fetched"),
    _one("frames-in-frames", "<iframe src=/odd></iframe>" * 1000 + "<iframe src='/odd?again'></iframe>"),
    _one("broken-links", "".join(f"<a href='http://[{n}'>x</a>" for n in range(_MANY)), "fetched"),
    _one("long-links", "".join(f"<a href='/{n}{'l' * 3000}'>x</a>" for n in range(1500)), "fetched"),
    _one("control-characters", page("\x01\x02\x1b[2J\u202e", ["/good/1\x00", "/\x7f"]), "fetched"),
    _one("unclosed", "<p><b><a href=/good/1><h1><table><tr><select><option>" * 300, "fetched"),
    _one("nothing", ""),
]
