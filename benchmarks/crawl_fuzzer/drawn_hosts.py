"""Draws the hosts of a site and their robots.txt. Pure."""

from __future__ import annotations

import random
from typing import Final

from benchmarks.crawl_fuzzer.odd_answers import ODD_ROBOTS, SPACES
from benchmarks.crawl_fuzzer.site import LOCAL, OUTSIDE, RobotsText, SiteHost

_NAMES: Final = ("a.test", "b.test", "www.c.test", "xn--bcher-kva.test", "deep.er.d.test", "e-f.test")
_PREFIXES: Final = ("/p1", "/private/", "/p2", "/a", "/news/", "/p3?", "/x")


def drawn_hosts(draw: random.Random) -> dict[str, SiteHost]:
    """Draw the hosts of a site; the first is local, answers, and allows all of its pages."""
    names = draw.sample(_NAMES, k=draw.choice((1, 1, 2, 2, 3, 4)))
    hosts: dict[str, SiteHost] = {}
    for place, name in enumerate(names):
        address = 1 if draw.random() < 0.3 else place + 1
        kind = draw.random() if place else 1.0
        robots = RobotsText(odd=draw.choice(ODD_ROBOTS), is_clear=False) if kind < 0.1 else _drawn_robots(draw)
        if 0.1 <= kind < 0.18:
            hosts[name] = SiteHost(name, address, LOCAL, robots, down=draw.choice(((0,), (0, 1, 2), (1,), (1, 2))))
        elif 0.18 <= kind < 0.4:
            hosts[name] = SiteHost(name, address, OUTSIDE, robots)
        elif 0.4 <= kind < 0.48:
            hosts[name] = SiteHost(name, address, LOCAL, robots, space=draw.choice(SPACES))
        else:
            hosts[name] = SiteHost(name, address, LOCAL, robots)
    return hosts


def _drawn_robots(draw: random.Random) -> RobotsText:
    if draw.random() < 0.4:
        return RobotsText()
    disallowed = draw.sample(_PREFIXES, k=draw.choice((0, 0, 1, 2)))
    allowed = [f"{each}0" for each in disallowed if draw.random() < 0.3]
    rules = [f"Disallow: {each}" for each in disallowed] + [f"Allow: {each}" for each in allowed]
    draw.shuffle(rules)
    crawl_delay = draw.choice((0.0, 0.0, 0.0, 0.05))
    if crawl_delay:
        rules.append(f"Crawl-delay: {crawl_delay}")
    lines = ["# robots", "User-agent: other", "Disallow: /", "", "User-Agent: *", *rules]
    if not rules:
        lines.append("Disallow:")
    if draw.random() < 0.3:
        lines += ["", "Sitemap: /sitemap.xml"]
    text = draw.choice(("\n", "\r\n", "\r")).join(lines).encode()
    if draw.random() < 0.2:
        text = b"\xef\xbb\xbf" + text
    return RobotsText(
        text,
        disallowed,
        allowed,
        crawl_delay,
        failures=draw.choice((0, 0, 0, 0, 1, 2)),
        moved=draw.random() < 0.1,
    )
