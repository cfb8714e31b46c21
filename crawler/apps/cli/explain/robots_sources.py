"""Where `explain` gets a robots.txt from: a file, a store or the host itself."""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path

from crawler.apps.cli.exit_codes import CommandError
from crawler.apps.text.wording import duration, number
from crawler.fetching.answers import Answer, NoAnswer, Wanted
from crawler.fetching.client.fetcher import Fetcher
from crawler.fetching.decoding import ContentDecodingError, decode_content
from crawler.fetching.verdicts import REDIRECTS
from crawler.robots.rules import RobotsAvailability, availability, robots_url
from crawler.settings import Settings, user_agent
from crawler.urls.canonical import Canonicaliser
from storage.report_records import StoredRobots


@dataclass(frozen=True, slots=True)
class RobotsFile:
    """A robots.txt, or what became of asking for it. source: in words. text: None unless available."""

    availability: RobotsAvailability
    text: bytes | None
    source: str


def from_file(path: str) -> RobotsFile:
    try:
        text = Path(path).read_bytes()
    except OSError as error:
        raise CommandError(f"the robots.txt to try cannot be read: {error}") from None
    return RobotsFile(RobotsAvailability.AVAILABLE, text, path)


def from_store(robots: StoredRobots, store: str) -> RobotsFile:
    now = time.time()
    age = f"fetched {duration(now - robots.fetched_at)} ago"
    if robots.expires_at > now:
        trust = f"trusted for another {duration(robots.expires_at - now)}"
    else:
        trust = "to be fetched anew before the next visit"
    source = f"status {robots.status}, {age}, {trust} ({store})"
    available = availability(robots.status)
    return RobotsFile(available, robots.text if available is RobotsAvailability.AVAILABLE else None, source)


async def from_host(host: str, settings: Settings) -> tuple[RobotsFile, str | NoAnswer | None]:
    """Ask the host, as a crawl would; also the address it was asked at, or why there is none."""
    async with Fetcher(settings.fetching, user_agent(settings.identity), time.time) as fetcher:
        address = await fetcher.resolve(host)
        if isinstance(address, NoAnswer):
            unreachable = RobotsFile(
                RobotsAvailability.UNREACHABLE, None, f"{address.kind}: {address.detail}"
            )
            return unreachable, address
        return await _fetched(robots_url(host), settings, fetcher), address


async def _fetched(url: str, settings: Settings, fetcher: Fetcher) -> RobotsFile:
    canonicaliser = Canonicaliser.under(settings.urls)
    wanted = Wanted(None, settings.robots.max_bytes, cut=True)
    way = url
    answer = await fetcher.fetch(url, wanted)
    for _ in range(settings.robots.max_redirects):
        if not isinstance(answer, Answer) or answer.status not in REDIRECTS:
            break
        target = canonicaliser.canonical(answer.location or "", url)
        if target is None:
            break
        url = target
        way += f" -> {url}"
        answer = await fetcher.fetch(url, wanted)
    return _read(answer, way, settings)


def _read(answer: Answer | NoAnswer, way: str, settings: Settings) -> RobotsFile:
    if isinstance(answer, NoAnswer):
        return RobotsFile(RobotsAvailability.UNREACHABLE, None, f"{way}: {answer.kind}, {answer.detail}")
    available = availability(answer.status)
    if available is not RobotsAvailability.AVAILABLE:
        return RobotsFile(available, None, f"{way}: status {answer.status}")
    try:
        text = decode_content(answer.body, answer.content_encoding, settings.fetching.max_body_bytes)
    except ContentDecodingError as error:
        return RobotsFile(RobotsAvailability.UNREACHABLE, None, f"{way}: corrupt, {error}")
    return RobotsFile(available, text, f"{way}: status {answer.status}, {number(len(text))} bytes")
