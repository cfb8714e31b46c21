"""A small site to search, with the texts that searching has to get right, and its index."""

from __future__ import annotations

import asyncio
from pathlib import Path

from hinterland.search.index.building import build
from hinterland.search.index.index_folder import IndexFolder, default_folder
from tests.support.crawling import crawl
from tests.support.web import LoopbackWeb

WORDS = ("boat", "harbour", "lamp", "keeper", "ticket", "winter")
"""Page /n/5, for example, has those whose bits are in 5: boat and lamp."""
HOST = "ferry.example"
HOSTILE = "\x1b]0;owned\x07\x1b[31m \u202e \x9b31m"
LONG_TITLE = "A title, and more words of it, " * 20 + "until the end"


async def crawl_site(store: Path) -> None:
    async with LoopbackWeb() as web:
        links: list[str] = []

        def page(path: str, body: str, title: str = "", head: str = "", language: str = "en") -> None:
            start = f"<html lang={language}><head><meta charset=utf-8><title>{title}</title>{head}</head>"
            web.page(HOST, path, html=f"{start}<body><main><p>{body}</p></main><a href='/'>start</a></body></html>")
            links.append(path)

        for number in range(1, 2 ** len(WORDS)):
            here = [word for bit, word in enumerate(WORDS) if number >> bit & 1]
            page(f"/n/{number}", f"Page {number} tells of the {' and the '.join(here * (1 + number % 3))}.", here[0])
        page("/hostile", f"A hatch {HOSTILE} to escape by.", f"Escape {HOSTILE} hatch")
        page("/untitled", "An anonymous letter.")
        page("/long", "A lengthy scroll. " + "It goes on and on. " * 200, f"Scroll: {LONG_TITLE}!")
        page("/de", "Die Fähren nach Übersee kommen täglich, auch im Winter.", "Fähren", language="de")
        page("/zh", "我爱北京天安门。" * 60, "北京", language="zh")
        page(
            "/described", "", "Described", "<meta name=description content='A quiet lagoon, say those who wrote this.'>"
        )
        page("/twin", "The same pebbles twice.", "Pebbles")
        page("/twin?again", "The same pebbles twice.", "Pebbles")
        sections = (("oars", "Oars", "Oars are of ash and want oil."), ("a b", "Rudders", "A rudder steers."))
        parts = [f"<section id='{anchor}'><h2>{name}</h2><p>{text}</p></section>" for anchor, name, text in sections]
        page("/manual", f"<h1 id=top>Gear</h1><p>All about gear.</p>{''.join(parts)}", "Gear")
        page("/hidden", "The secret passage.", "Secret", "<meta name=robots content=noindex>")
        web.page(HOST, "/", links, title="Start")
        await crawl(web.addresses, [web.url(HOST, "/")], store, storage={"keep_bodies": True})


def indexed_site(folder: Path) -> IndexFolder:
    """A store, site.db, and beside it its index."""
    asyncio.run(crawl_site(folder / "site.db"))
    index = default_folder(folder / "site.db")
    build(folder / "site.db", index, estimator="crawled-graph", clock=lambda: 1_000.0)
    return index
