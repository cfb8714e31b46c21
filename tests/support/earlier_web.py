"""The small web that tests/data/made_by_90c93af.tar.xz was crawled from. It stays as it is: a crawl goes on in it."""

from __future__ import annotations

from typing import Any, Final

ADDRESS: Final = "127.93.7.41"
PORT: Final = 18473
"""Its URLs carry the port, so it has to be the same again."""
HOSTS: Final = ("island.test", "mainland.test", "far.test")
SEED: Final = f"http://{HOSTS[0]}:{PORT}/"
PAGES: Final = 16
"""Of each host."""
_WORDS: Final = ("lighthouse", "harbour", "ferry", "quay", "anchor", "tide", "beacon", "gull")


def put_pages(web: Any) -> None:
    """Let a LoopbackWeb serve them; it was another class then."""
    for place, host in enumerate(HOSTS):
        neighbour = HOSTS[(place + 1) % len(HOSTS)]
        for number in range(PAGES):
            path = f"/{number}" if number else "/"
            below = [f"/{2 * number + 1}", f"/{2 * number + 2}"] if 2 * number + 2 < PAGES else []
            links = [*below, f"http://{neighbour}:{PORT}{path}"]
            word, other = _WORDS[number % 8], _WORDS[(number + 3) % 8]
            said = f"<h1>{word.title()} {number}</h1><p>The {word} of {host} lies near the {other}. " * 3
            anchors = "".join(f'<a href="{link}">{other} of {link}</a> ' for link in links)
            title = f"<!doctype html><html lang=en><title>{word} {number}</title>"
            web.page(host, path, html=f"{title}<main>{said}</main><nav>{anchors}</nav>")
