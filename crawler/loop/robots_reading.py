"""Provides the robots.txt rules of a host: from memory, from the store, or parsed in another thread."""

from __future__ import annotations

import asyncio

from hinterland.crawler.fetching.robots.robots_cache import RobotsCache
from hinterland.crawler.fetching.robots.rules import RobotsRules


async def rules_of_host(robots: RobotsCache, host: int) -> RobotsRules:
    """Return the rules of a host whose robots.txt is known; a long file is parsed in another thread."""
    rules = robots.rules_at_hand(host)
    if rules is not None:
        return rules
    text = await robots.text_of(host)
    if robots.takes_long(text):
        return robots.keep(text, await asyncio.to_thread(robots.parse, text))
    return robots.keep(text, robots.parse(text))
