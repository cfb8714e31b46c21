"""The sources of a robots.txt for `explain`: a file, a store, an assumed status, or the host itself."""

from __future__ import annotations

import asyncio
import time
from pathlib import Path

from hinterland.cli.explain.explanation import Robots
from hinterland.crawler.fetching.answers import Answer, BodyLimits, NoAnswer
from hinterland.crawler.fetching.client.fetcher import Fetcher
from hinterland.crawler.fetching.outcomes import OutcomeKind
from hinterland.crawler.fetching.robots.answers import RobotsUnread, moved_to, read_robots
from hinterland.crawler.fetching.robots.rules import (
    ALLOW_ALL,
    DISALLOW_ALL,
    MAX_BYTES,
    RobotsAvailability,
    availability,
    parse_robots,
    robots_url,
)
from hinterland.crawler.settings import Settings, user_agent
from hinterland.crawler.urls.canonical import Canonicaliser
from hinterland.library.crawls.requirements import provider_under
from hinterland.library.errors import HinterlandError
from hinterland.library.text.wording import duration, number
from hinterland.storage.values.hosts import StoredRobots

NOT_ASKED = Robots(None, ALLOW_ALL, "not requested (--offline)")


def from_file(path: str, settings: Settings) -> Robots:
    """Read a robots.txt from a file. Raises HinterlandError."""
    try:
        text = Path(path).read_bytes()
    except OSError as error:
        raise HinterlandError(f"the file given to --robots cannot be read: {error}") from None
    return _available(text, path, settings)


def as_if_answered(status: int, file: str | None, settings: Settings) -> Robots:
    """Return the robots.txt of a host, as if the host had answered with this status.

    With a status of success, the text of robots.txt is read from `file`, if a file is given.
    """
    if file is not None and availability(status) is RobotsAvailability.AVAILABLE:
        return from_file(file, settings)
    return _answered(status, b"", f"as if answered with status {status}", settings)


def from_store(robots: StoredRobots, store: str, settings: Settings) -> Robots:
    """Return the robots.txt that a store has kept."""
    now = time.time()
    age = f"fetched {duration(now - robots.fetched_at)} ago"
    if robots.expires_at > now:
        trust = f"trusted for another {duration(robots.expires_at - now)}"
    else:
        trust = "to be fetched again before the next visit"
    return _answered(robots.status, robots.text, f"status {robots.status}, {age}, {trust} ({store})", settings)


async def from_host(host: str, settings: Settings) -> tuple[Robots, str | NoAnswer | None]:
    """Request the robots.txt of a host as a crawl would, with the crawl's credentials and through its proxy.

    Also returns the IP address to which the request went, or why there was no request. Raises HinterlandError if a
    secret cannot be read.
    """
    agent, provider = user_agent(settings.identity), await asyncio.to_thread(provider_under, settings)
    async with Fetcher(settings.fetching, agent, time.time, provider=provider) as fetcher:
        found = await fetcher.resolve(host)
        if isinstance(found, NoAnswer):
            return _unreachable(f"{found.kind}: {found.detail}"), found
        return await _fetched(robots_url(host), settings, fetcher), None if found is None else found.address


async def _fetched(url: str, settings: Settings, fetcher: Fetcher) -> Robots:
    canonicaliser = Canonicaliser.under(settings.urls)
    limits = BodyLimits(None, MAX_BYTES, cut=True)
    way = [url]
    answer = await fetcher.fetch(url, limits)
    while target := moved_to(answer, way[-1], canonicaliser, redirects=len(way) - 1):
        way.append(target)
        answer = await fetcher.fetch(target, limits)
    return _read(answer, " -> ".join(way), settings)


def _read(answer: Answer | NoAnswer, way: str, settings: Settings) -> Robots:
    read = read_robots(answer, max_decoded_bytes=settings.fetching.max_body_bytes)
    if isinstance(read, RobotsUnread):
        kind = "corrupt, " if read.kind is OutcomeKind.CORRUPT else ""
        return _unreachable(f"{way}: {kind}{read.detail}")
    assert isinstance(answer, Answer)
    if read.text is None:
        return Robots(RobotsAvailability.UNAVAILABLE, ALLOW_ALL, f"{way}: status {answer.status}")
    return _available(read.text, f"{way}: status {answer.status}, {number(len(read.text))} bytes", settings)


def _answered(status: int | None, text: bytes | None, source: str, settings: Settings) -> Robots:
    match availability(status):
        case RobotsAvailability.UNREACHABLE:
            return _unreachable(source)
        case RobotsAvailability.UNAVAILABLE:
            return Robots(RobotsAvailability.UNAVAILABLE, ALLOW_ALL, source)
        case RobotsAvailability.AVAILABLE:
            return _available(text or b"", source, settings)


def _available(text: bytes, source: str, settings: Settings) -> Robots:
    rules = parse_robots(text, settings.identity.name)
    return Robots(RobotsAvailability.AVAILABLE, rules, source)


def _unreachable(source: str) -> Robots:
    return Robots(RobotsAvailability.UNREACHABLE, DISALLOW_ALL, source)
