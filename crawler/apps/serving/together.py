"""Several stores in one server: the first at the top, the pages of each other one below it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from aiohttp import web

from crawler.apps.serving.application import application
from crawler.apps.serving.neighbours import Neighbour
from crawler.apps.serving.searches import Searches


def put_below(
    top: web.Application,
    neighbours: Sequence[Neighbour],
    searches: Sequence[Searches],
    *,
    only_this_machine: bool,
    base_url: str = "",
) -> None:
    """neighbours: all stores, that of `top` first. searches: of each of the others by itself. The rest as for
    `application`."""
    for neighbour, own in zip(neighbours[1:], searches, strict=True):
        pages = application(
            Path(neighbour.store),
            own,
            only_this_machine=only_this_machine,
            base_url=base_url,
            path=neighbour.path,
            neighbours=neighbours,
        )
        top.add_subapp(neighbour.path, pages)
