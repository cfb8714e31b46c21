"""What differs in a page from one answer to the next although nobody has changed it, put into pages of real sites."""

from __future__ import annotations

import re
import string
from collections.abc import Callable
from random import Random
from time import gmtime, strftime
from typing import Final

_OFFERS: Final = (
    "Try the fastest database in the cloud, free for a month",
    "Hire vetted engineers in 48 hours",
    "Boots and coats for the winter, now at half the price",
    "Ship faster: monitoring that your team will love",
    "Learn to play the piano at any age",
    "Open positions in Berlin, Lisbon and Zurich",
)
_POSTS: Final = (
    "Ten years of release notes", "What we learnt from an outage", "A tour of the new office", "Meet the maintainers",
    "How to read a flame graph", "On naming things",
)  # fmt: skip


def _hex(random: Random, length: int) -> str:
    return "".join(random.choices("0123456789abcdef", k=length))


def _mixed(random: Random, length: int) -> str:
    return "".join(random.choices(string.ascii_letters + string.digits, k=length)) + random.choice("0123456789")


def _uuid(random: Random) -> str:
    return "-".join(_hex(random, length) for length in (8, 4, 4, 4, 12))


def _moment(random: Random, form: str) -> str:
    return strftime(form, gmtime(1_700_000_000 + random.randrange(60_000_000)))


def _count(random: Random) -> str:
    return f"{random.randrange(2, 900_000):,}"


NOISES: Final[dict[str, tuple[str, Callable[[Random], str]]]] = {
    # clocks
    "a clock": ("text", lambda r: f"<p>It is now {_moment(r, '%I:%M %p')}.</p>"),
    "made on": ("text", lambda r: f"<div>Page generated on {_moment(r, '%d %B %Y at %H:%M:%S')} UTC</div>"),
    "made on, ISO": ("text", lambda r: f"<p><small>Generated at {_moment(r, '%Y-%m-%dT%H:%M:%SZ')}</small></p>"),
    "served by Sphinx's date": ("text", lambda r: f"<p>Last updated on {_moment(r, '%b %d, %Y, %H:%M')}.</p>"),
    "today": ("text", lambda r: f"<p>Today is {_moment(r, '%A, %d %B %Y')}</p>"),
    "American date and time": ("text", lambda r: f"<span>{_moment(r, '%m/%d/%Y %I:%M:%S %p')}</span>"),
    "ago": ("text", lambda r: f"<p>Last seen {r.randrange(2, 59)} minutes ago</p>"),
    "a year in a copyright": ("body end", lambda r: f"<footer>© {r.randrange(2015, 2026)} Example Ltd</footer>"),
    "how long it took": (
        "text",
        lambda r: f"<p>Rendered in {r.random():.4f} seconds, {r.randrange(9, 99)} queries</p>",
    ),
    "milliseconds": ("text", lambda r: f"<div>Query took {r.randrange(1, 900)}ms</div>"),
    # tokens
    "a form's token": ("text", lambda r: f'<form><input type=hidden name=csrf value="{_mixed(r, 40)}"></form>'),
    "a token in the head": ("head", lambda r: f'<meta name="csrf-token" content="{_mixed(r, 40)}">'),
    "a nonce": ("head", lambda r: f'<script nonce="{_mixed(r, 20)}">var t = {r.random()}; boot("{_uuid(r)}")</script>'),
    "a request's number": ("text", lambda r: f"<p>Request ID: {_uuid(r)}</p>"),
    "a ray": ("text", lambda r: f"<p>Ray ID: <code>{_hex(r, 16)}</code></p>"),
    "a trace, short": ("text", lambda r: f"<p>Reference #{r.randrange(10, 99)}.{_hex(r, 8)}.{_hex(r, 8)}</p>"),
    "a session in a link": ("text", lambda r: f'<p><a href="/basket?sid={_hex(r, 32)}">Basket</a></p>'),
    "an address of a cache": ("head", lambda r: f'<link rel=stylesheet href="/site.css?v={_hex(r, 10)}">'),
    "an id that is made anew": ("text", lambda r: f'<div id="x-{_hex(r, 8)}"><p>Read on below.</p></div>'),
    "a build": ("body end", lambda r: f"<footer>Build {_hex(r, 7)} of {_moment(r, '%Y-%m-%d')}</footer>"),
    # counters
    "views": ("text", lambda r: f"<p>{_count(r)} views</p>"),
    "viewed": ("text", lambda r: f"<p>This page has been viewed {_count(r)} times.</p>"),
    "visitors": ("text", lambda r: f"<div class=stats>You are visitor number {_count(r)}</div>"),
    "online": ("text", lambda r: f"<p>{_count(r)} users and {_count(r)} guests online</p>"),
    "downloads": ("text", lambda r: f"<p>Downloads: {_count(r)}</p>"),
    "stars": ("text", lambda r: f'<a href="/project">Star <span class="count">{_count(r)}</span></a>'),
    "comments' number": ("text", lambda r: f'<span class="comment-count">{_count(r)} comments</span>'),
    # advertisements, and what is put beside the content
    "AdSense": ("text", lambda r: f'<ins class="adsbygoogle"><p>{r.choice(_OFFERS)}</p></ins>'),
    "Carbon": (
        "text",
        lambda r: f'<div id="carbonads"><span><a href="/c?{_hex(r, 9)}">{r.choice(_OFFERS)}</a></span></div>',
    ),
    "ad-unit": ("text", lambda r: f'<section class="ad-unit"><p>{r.choice(_OFFERS)}</p></section>'),
    "a slot": ("text", lambda r: f'<div data-ad-slot="{_hex(r, 6)}"><p>{r.choice(_OFFERS)}</p></div>'),
    "div-gpt-ad": ("text", lambda r: f'<div id="div-gpt-ad-{_hex(r, 8)}-0"><p>{r.choice(_OFFERS)}</p></div>'),
    "BEM": ("text", lambda r: f'<div class="advert__body"><p>{r.choice(_OFFERS)}</p></div>'),
    "camels": ("text", lambda r: f'<div class="sponsoredContent"><p>{r.choice(_OFFERS)}</p></div>'),
    "Taboola": ("text", lambda r: f'<div id="taboola-below"><p>{r.choice(_OFFERS)}</p></div>'),
    "a sponsored link": (
        "text",
        lambda r: f'<p><a rel="sponsored" href="/go/{_hex(r, 6)}">{r.choice(_OFFERS)}</a></p>',
    ),
    "a frame": ("text", lambda r: f'<iframe srcdoc="{r.choice(_OFFERS)}" src="/ads?{_hex(r, 9)}"></iframe>'),
    "a promotion": ("body", lambda r: f'<div class="promo-bar">{r.choice(_OFFERS)}</div>'),
    "cookies": ("body", lambda r: f'<div id="cookie-banner">We use {r.randrange(3, 400)} cookies</div>'),
    "newsletter": ("text", lambda r: f'<div class="newsletter-signup">Join {_count(r)} readers</div>'),
    "related": (
        "text",
        lambda r: f'<div class="related-posts"><a href="/{r.randrange(9)}">{r.choice(_POSTS)}</a></div>',
    ),
    "most read": (
        "text",
        lambda r: f'<aside><h3>Most read</h3><a href="/{r.randrange(9)}">{r.choice(_POSTS)}</a></aside>',
    ),
    "a menu": ("body", lambda r: f"<nav><a href=/>Home</a> <a href=/new>{r.choice(_POSTS)}</a></nav>"),
    "who is there": ("body", lambda r: f"<header class=site-header>Hello, guest {r.randrange(9999)}</header>"),
}  # fmt: skip
"""By name: where it is put, and what it is this time. None of the words is one of the page's own."""

UNSEEN: Final[dict[str, tuple[str, Callable[[Random], str]]]] = {
    "the weather": (
        "body",
        lambda r: f'<div id="weather-widget">{r.randrange(-9, 33)} °C, {r.choice(("sun", "rain"))}</div>',
    ),
    "who reads along": ("text", lambda r: f"<p>{_count(r)} people are reading this</p>"),
    "logged in as": ("body", lambda r: f'<div class="user-menu">You are not logged in. {_hex(r, 6)}</div>'),
    "a load time": (
        "body end",
        lambda r: f"<p>Page loaded in {r.random() * 3:.2f}s (cached {r.randrange(2, 59)}m ago)</p>",
    ),
    "rating": ("text", lambda r: f'<span class="rating">{r.random() * 5:.1f} ({_count(r)} ratings)</span>'),
    "a Unix time": ("text", lambda r: f"<p>Timestamp: {1_700_000_000 + r.randrange(60_000_000)}</p>"),
    "RFC 1123": ("text", lambda r: f"<p>Date: {_moment(r, '%a, %d %b %Y %H:%M:%S GMT')}</p>"),
    "next departure": ("text", lambda r: f"<p>Local time {_moment(r, '%H:%M')}</p>"),
    "a leaderboard": ("text", lambda r: f'<div class="leaderboard-ad"><a href="/x">{r.choice(_OFFERS)}</a></div>'),
    "Google's": ("text", lambda r: f'<div class="google-ads-300"><p>{r.choice(_OFFERS)}</p></div>'),
    "partners": ("text", lambda r: f'<div class="partner-content"><p>{r.choice(_OFFERS)}</p></div>'),
    "a tag of advertising": (
        "text",
        lambda r: f'<div class="widget"><b>Advertisement</b><p>{r.choice(_OFFERS)}</p></div>',
    ),
    "popular now": (
        "text",
        lambda r: f'<div class="popular-posts"><a href="/{r.randrange(9)}">{r.choice(_POSTS)}</a></div>',
    ),
    "latest comments": ("text", lambda r: f'<div class="widget recent-comments">{r.choice(_POSTS)}</div>'),
    "a quote of the day": ("text", lambda r: f'<blockquote class="random-quote">{r.choice(_POSTS)}</blockquote>'),
    "a captcha": ("text", lambda r: f"<form><label>What is {r.randrange(2, 9)} + {r.randrange(2, 9)}?</label></form>"),
    "an honest nonce": ("head", lambda r: f"<style>.a{_hex(r, 6)} {{ color: red }}</style>"),
    "mail by script": (
        "text",
        lambda r: f'<p><a href="/cdn-cgi/l/email-protection#{_hex(r, 30)}">[email protected]</a></p>',
    ),
}  # fmt: skip
"""Written after the detector's rules were. At first sight it took half of them for changes (51 %, four sites); rules
for some have been added since, so that the share is no forecast for kinds that nobody thought of."""

_PLACES: Final[dict[str, re.Pattern[bytes]]] = {
    "head": re.compile(rb"(?=</head\s*>)", re.IGNORECASE),
    "body": re.compile(rb"<body\b[^>]*>", re.IGNORECASE),
    "body end": re.compile(rb"(?=</body\s*>)", re.IGNORECASE),
    "text": re.compile(rb"</p\s*>(?=\s*<(?:p|h2|h3)\b)", re.IGNORECASE),
}
"""Where a kind of noise may be put; among the text, behind a paragraph that something follows."""


def noisy(html: bytes, name: str, places: Random, values: Random) -> bytes | None:
    """A page with one kind of noise in it. places: one that begins alike puts it at the same place; values: what it
    says. None if the page has no such place."""
    where, made = NOISES.get(name) or UNSEEN[name]
    found = [place.end() for place in _PLACES[where].finditer(html)]
    if not found:
        return None
    at = found[int(places.random() * len(found))]
    return html[:at] + made(values).encode() + html[at:]
