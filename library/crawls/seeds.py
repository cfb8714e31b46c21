"""Reads seeds as people write them, and checks whether a crawl may begin with them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from hinterland.crawler.settings import EffectiveSettings
from hinterland.crawler.urls.canonical import Canonicaliser
from hinterland.crawler.urls.seed_slips import meant_seed, visible, without_note
from hinterland.crawler.urls.seeds import parse_seed, scheme_of_seed
from hinterland.library.crawls.observer import CrawlObserver
from hinterland.library.crawls.public_hosts import WARNING, Addresses, addresses_of, lacks_contact, require_open
from hinterland.library.crawls.requirements import require_all
from hinterland.library.errors import HinterlandError
from hinterland.library.text.wording import counted, printable

_MANY_COMPLAINTS: Final = 10
_MANY_ASSUMPTIONS: Final = 3


@dataclass(frozen=True, slots=True)
class GivenSeed:
    """A seed as the user gave it.

    `place` says where, such as "seeds.txt, line 3". `note` is the text after the seed in its line, without a "#" before
    it.
    """

    text: str
    place: str
    note: str = ""


@dataclass(frozen=True, slots=True)
class Seeds:
    """Seeds that have been read.

    `urls` are canonical and distinct, in the order given. `complaints` hold the place and the problem of each bad seed.
    `assumptions` say how seeds without a scheme, or with a typing error, were understood.
    """

    urls: Sequence[str]
    complaints: Sequence[str]
    assumptions: Sequence[str] = ()


def seeds_in(lines: Iterable[str], file_name: str) -> list[GivenSeed]:
    """Return the seeds in a file: one per line, perhaps followed by a note.

    Blank lines and lines that begin with "#" are skipped.
    """
    seeds = []
    for number, line in enumerate(lines, 1):
        text, note = without_note(line)
        seen = visible(text)
        if seen and not seen.startswith("#"):
            seeds.append(GivenSeed(text, f"{file_name}, line {number}", note))
    return seeds


def read_seeds(given: Iterable[GivenSeed], canonicaliser: Canonicaliser) -> Seeds:
    """Return the canonical URLs of seeds, and a complaint for each seed that cannot be used."""
    urls: dict[str, None] = {}
    complaints: list[str] = []
    assumptions: list[str] = []
    for seed in given:
        meant = meant_seed(seed.text)
        if complaint := _complaint(meant):
            complaints.append(f"{seed.place}: {seed.text[:200]!r} {complaint}")
            continue
        try:
            url = canonicaliser.canonical(parse_seed(meant))
        except ValueError as error:
            complaints.append(f"{seed.place}: {error}")
            continue
        if url is None:
            length = f"longer than {canonicaliser.max_length} characters"
            complaints.append(f"{seed.place}: {seed.text[:60]!r}... is {length}")
            continue
        urls[url] = None
        if meant != seed.text.strip() or seed.note:
            note = f", and {seed.note[:60]!r} as a note" if seed.note else ""
            assumptions.append(f"{seed.place}: {seed.text[:200]!r} is read as {url}{note}")
        elif scheme_of_seed(seed.text):
            assumptions.append(f"{seed.text.strip()} is read as {url}")
    return Seeds(list(urls), complaints, assumptions)


def _complaint(seed: str) -> str:
    """Return why a seed cannot be used and how to correct it; "" if it may be used."""
    if "\ufffd" in seed:
        return "is not in UTF-8; save the file in UTF-8"
    if any(map(str.isspace, seed)):
        return "has a space in it; write %20 if the space belongs to the URL, or # before what follows if it is a note"
    if _NO_HOST.fullmatch(seed):
        return "names no host; write it as https://example.org/"
    return ""


_NO_HOST: Final = re.compile(r"(?:https?:/*+)?+(?:https?)?(?::\d*)?(?:[/?#].*)?", re.IGNORECASE | re.DOTALL)
"""A URL without a host: nothing after its scheme, or a scheme where the host should be."""


def usable_seeds(given: Sequence[GivenSeed], settings: EffectiveSettings, observer: CrawlObserver) -> Sequence[str]:
    """Return the seeds that can be used, after checking that everything that the settings name is available.

    Raises HinterlandError if no seed can be used, and the errors of `require_all`.
    """
    require_all(settings.settings)
    seeds = read_seeds(given, Canonicaliser.under(settings.settings.urls))
    for complaint in seeds.complaints[:_MANY_COMPLAINTS]:
        observer.warn(printable(complaint))
    if len(seeds.complaints) > _MANY_COMPLAINTS:
        observer.warn(f"and {len(seeds.complaints) - _MANY_COMPLAINTS} more bad seeds")
    for assumption in seeds.assumptions[:_MANY_ASSUMPTIONS]:
        observer.note(printable(assumption))
    if len(seeds.assumptions) > _MANY_ASSUMPTIONS:
        more = counted(len(seeds.assumptions) - _MANY_ASSUMPTIONS, "more seed")
        observer.note(f"and {more} without a scheme, or with a note or a typing error")
    if seeds.complaints and not seeds.urls:
        raise HinterlandError("there is no usable seed")
    if seeds.complaints:
        observer.note(f"continuing with the other {counted(len(seeds.urls), 'seed')}")
    return seeds.urls


async def seeds_to_begin_with(
    given: Sequence[GivenSeed], settings: EffectiveSettings, command: Sequence[str], observer: CrawlObserver
) -> Sequence[str]:
    """Return the usable seeds of a new crawl.

    Raises HinterlandError if no seed can be used, or if requests to all of their hosts are forbidden. `command` holds
    the arguments of the crawl.
    """
    seeds = usable_seeds(given, settings, observer)
    addresses = await addresses_of_seeds(settings, seeds, observer)
    require_open(addresses, settings.settings.fetching, command, observer.warn)
    return seeds


async def addresses_of_seeds(settings: EffectiveSettings, seeds: Sequence[str], observer: CrawlObserver) -> Addresses:
    """Look up the addresses of the seeds' hosts. Warn if a host is public and the settings name no contact."""
    addresses = await addresses_of(seeds, settings.settings.fetching)
    if lacks_contact(settings.settings, addresses):
        observer.warn(WARNING)
    return addresses
