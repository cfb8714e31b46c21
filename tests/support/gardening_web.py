"""A web of pages about gardening and pages about sailing, and gardening as the topic of a crawl."""

from __future__ import annotations

import random
from collections.abc import Sequence

from hinterland.crawler.features.topics.model.training import train
from hinterland.storage.values.topics import TopicRecord
from tests.support.topics import GARDEN, SEA, background, examples, text_about
from tests.support.web import LoopbackWeb


def gardening() -> TopicRecord:
    return TopicRecord("gardening", train(examples(), background()).model.to_bytes())


def some_web(web: LoopbackWeb, hosts: int = 6, pages: int = 40) -> str:
    """Hosts about gardening and about sailing by turns; each page leads to three of its host and one of another."""
    lot = random.Random(4)
    for host in range(hosts):
        words = SEA if host % 2 else GARDEN
        for page in range(pages):
            own = [(f"h{host}.test", f"/{lot.choice(words)}/{lot.randrange(pages)}") for _ in range(3)]
            other = lot.randrange(hosts)
            links = [*own, (f"h{other}.test", f"/{lot.choice(SEA if other % 2 else GARDEN)}/{lot.randrange(pages)}")]
            _page(web, f"h{host}.test", page, words, links, lot)
    start = [(f"h{host}.test", f"/{(SEA if host % 2 else GARDEN)[0]}/0") for host in range(hosts)]
    return _page(web, "start.test", None, SEA, start, lot)


def _page(
    web: LoopbackWeb,
    host: str,
    page: int | None,
    words: list[str],
    links: Sequence[tuple[str, str]],
    lot: random.Random,
) -> str:
    anchors = "".join(
        f"<p>{lot.choice(GARDEN if path.split('/')[1] in GARDEN else SEA)} "
        f"<a href='{web.reference((to, path))}'>{path.split('/')[1]}</a></p>"
        for to, path in links
    )
    html = f"<title>{' '.join(lot.choices(words, k=2))}</title><p>{text_about(words, lot)}</p>{anchors}"
    if page is None:
        return web.page(host, "/", html=html)
    for word in words:
        web.page(host, f"/{word}/{page}", html=html)
    return ""
