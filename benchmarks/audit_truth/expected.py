"""What each rule should find, by the words of its description and the pages of the farm. Pure."""

from __future__ import annotations

import hashlib
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache
from itertools import pairwise
from locale import locale_alias
from typing import Final
from urllib.parse import unquote, urlsplit

from benchmarks.audit_truth.farm_pages import FarmPages
from benchmarks.audit_truth.reading import ReadPage, css_files

Expected = Callable[[FarmPages], Iterable[str]]
UNCOMPUTED: Final = {
    "slow-page": "depends on the machine",
    "near-duplicate": "a measure of texts, checked by tests",
    "language-differs": "a guess from texts, checked by tests",
}
"""Rules without a truth here, and why."""


def _pages_where(wrong: Callable[[ReadPage], bool]) -> Expected:
    return lambda farm: [url for url, page in farm.read.items() if wrong(page)]


def _ones(page: ReadPage) -> list[str]:
    return [text for level, text in page.headings if level == 1]


def _canonical(farm: FarmPages, url: str) -> str | None:
    """Return the first address that a page names as canonical and that is one; addresses of local files are none."""
    found = (farm.resolved(url, href) for href in farm.read[url].canonicals)
    return next((each for each in found if each is not None), None)


def _elsewhere(farm: FarmPages) -> dict[str, str]:
    found = {url: _canonical(farm, url) for url in farm.read}
    return {url: target for url, target in found.items() if target is not None and target != url}


def _indexable(farm: FarmPages) -> set[str]:
    return {url for url, page in farm.read.items() if not page.is_noindex} - set(_elsewhere(farm))


def _canonical_broken(farm: FarmPages) -> Iterator[str]:
    for url, target in _elsewhere(farm).items():
        kind = farm.answer(target)[0] if target in farm.asked else ""
        is_closed = target in farm.read and farm.read[target].is_noindex
        if kind in ("to", "robots") or is_closed or (kind == "miss" and farm.is_missing(target)):
            yield url


def _canonical_chains(farm: FarmPages) -> list[str]:
    elsewhere = _elsewhere(farm)
    return [url for url, target in elsewhere.items() if target in elsewhere]


def _shared(text_of: Callable[[ReadPage], str]) -> Expected:
    def found(farm: FarmPages) -> list[str]:
        indexable = _indexable(farm)
        texts = {url: (urlsplit(url).netloc, " ".join(text_of(farm.read[url]).split())) for url in indexable}
        counts = Counter(texts.values())
        return [url for url, (host, text) in texts.items() if text and counts[host, text] > 1]

    return found


def _same_bodies(farm: FarmPages) -> list[str]:
    bodies = defaultdict[bytes, list[str]](list)
    for url in _indexable(farm):
        bodies[hashlib.sha256(farm.paths[url].read_bytes()).digest()].append(url)
    return [url for urls in bodies.values() if len(urls) > 1 for url in urls]


# -------------------------------------------------------------------- links


def _linked_where(wrong: Callable[[FarmPages, str], bool]) -> Expected:
    """Return the expectation of a rule on linked addresses of the site that were asked for."""
    return lambda farm: [url for url in farm.inlinks if url in farm.local and url in farm.asked and wrong(farm, url)]


def _ends_where(wrong: Callable[[FarmPages, str], bool]) -> Expected:
    return lambda farm: [url for url in farm.ended if url in farm.local and url in farm.asked and wrong(farm, url)]


def _is_root(url: str) -> bool:
    """Return whether a URL is that of a host, which the farm's server redirects to the seed with status 302."""
    return urlsplit(url).path in ("", "/")


def _is_kind(kind: str) -> Callable[[FarmPages, str], bool]:
    return lambda farm, url: farm.answer(url)[0] == kind


def _broken_fragments(farm: FarmPages) -> Iterator[str]:
    for links in farm.links.values():
        for target, fragment in links:
            if not fragment or fragment.lower() == "top" or fragment[0] in "/!:" or "=" in fragment:
                continue
            end, _ = farm.end(target)
            if end in farm.read and not {fragment, unquote(fragment)} & farm.read[end].ids:
                yield f"{end}#{fragment}"


def _dead_ends(farm: FarmPages) -> list[str]:
    return [url for url, links in farm.links.items() if not any(to in farm.local and to != url for to, _ in links)]


def _starts(farm: FarmPages) -> set[str]:
    return farm.seeds | {end for seed in farm.seeds if (end := farm.end(seed)[0]) is not None}


def _orphans(farm: FarmPages) -> set[str]:
    linked = {url for url in farm.read if farm.inlinks.get(url) or farm.ended.get(url)}
    return set(farm.read) - linked - _starts(farm)


def _single(farm: FarmPages) -> set[str]:
    return {url for url in farm.read if len(farm.ended.get(url, ())) == 1} - _starts(farm)


def _deep(farm: FarmPages) -> list[str]:
    clicks = dict.fromkeys(_starts(farm), 0)
    ring = list(clicks)
    while ring:
        onward = []
        for url in ring:
            for target, _ in farm.links.get(url, ()):
                for reached in (target, farm.end(target)[0]):
                    if reached is not None and reached not in clicks:
                        clicks[reached] = clicks[url] + 1
                        onward.append(reached)
        ring = onward
    return [url for url in farm.read if clicks.get(url, 0) > 5]


# -------------------------------------------------------------------- translations and files


def _alternates(farm: FarmPages) -> dict[str, list[tuple[str, str]]]:
    indexable = _indexable(farm)
    return {
        url: [(code, to) for code, href in page.alternates if (to := farm.resolved(url, href)) is not None]
        for url, page in farm.read.items()
        if page.alternates and url in indexable
    }


def _no_return(farm: FarmPages) -> list[str]:
    named = {(url, to) for url, found in _alternates(farm).items() for _, to in found}
    return [url for url, to in named if to != url and to in farm.read and (to, url) not in named]


def _no_default(farm: FarmPages) -> list[str]:
    codes = {url: {code.lower() for code, _ in found} for url, found in _alternates(farm).items()}
    return [url for url, found in codes.items() if len(found) > 1 and "x-default" not in found]


def _bad_translations(farm: FarmPages) -> list[str]:
    closed = set(farm.read) - _indexable(farm)

    def is_bad(to: str) -> bool:
        return to in closed or (to in farm.asked and (farm.answer(to)[0] == "to" or farm.is_missing(to)))

    return [url for url, found in _alternates(farm).items() if any(is_bad(to) for _, to in found)]


@cache
def _files(farm: FarmPages) -> Mapping[str, set[str]]:
    """Return what pages load, and the style sheets that they load: "image" or "other" -> URLs."""
    waiting = [
        (kind, target)
        for url, page in farm.read.items()
        for kind, href in page.loaded
        if (target := farm.resolved(url, href, is_file=True)) is not None
    ]
    known: dict[str, set[str]] = {"image": set(), "other": set()}
    while waiting:
        kind, url = waiting.pop()
        if url in known[kind]:
            continue
        known[kind].add(url)
        path = farm.files / (urlsplit(url).hostname or "") / unquote(urlsplit(url).path).lstrip("/")
        if url.partition("?")[0].endswith(".css") and path.is_file():
            for kind, inner in css_files(path.read_text("utf-8", "replace")):
                target = farm.canonical_file(inner, url)
                if target is not None:
                    waiting.append((kind, target))
    return known


def _files_where(kinds: tuple[str, ...], said: str) -> Expected:
    """Return the expectation of files of which the server says this, where they are not pages that it was asked for."""
    return lambda farm: {url for kind in kinds for url in _files(farm)[kind] if farm.says(url) == said}


def _heavy_images(farm: FarmPages) -> list[str]:
    return [url for url in _files(farm)["image"] if farm.says(url) == "there" and farm.file_bytes(url) > 500_000]


def _outside_where(said: str) -> Expected:
    return lambda farm: [url for url in farm.inlinks if url not in farm.local and farm.says(url) == said]


def _listed_where(wrong: Callable[[FarmPages, str], bool]) -> Expected:
    return lambda farm: [url for url in farm.listed & farm.asked if wrong(farm, url)]


def _unlisted(farm: FarmPages) -> list[str]:
    hosts = {urlsplit(url).netloc for url in farm.listed}
    return [url for url in _indexable(farm) - farm.listed if urlsplit(url).netloc in hosts]


SITEMAPS: Final[Mapping[str, Expected]] = {
    "sitemap-dead": _listed_where(lambda farm, url: farm.is_missing(url)),
    "sitemap-redirected": _listed_where(_is_kind("to")),
    "sitemap-blocked": _listed_where(_is_kind("robots")),
    "sitemap-closed": lambda farm: farm.listed & set(farm.read) - _indexable(farm),
    "sitemap-missing": _unlisted,
}
"""Rule -> the URLs at fault, if the farm has sitemaps."""


def _bad_codes(farm: FarmPages) -> list[str]:
    languages = {name.partition("_")[0].partition(".")[0] for name in locale_alias.values()}

    def is_bad(code: str) -> bool:
        return code.lower() != "x-default" and code.lower().partition("-")[0] not in languages

    return [url for url, found in _alternates(farm).items() if any(is_bad(code) for code, _ in found)]


EXPECTED: Final[Mapping[str, Expected]] = {
    "broken-link": _ends_where(lambda farm, url: farm.is_missing(url)),
    "unchecked-link": _ends_where(lambda farm, url: farm.answer(url)[0] == "miss" and farm.is_refused(url)),
    "unreachable-link": lambda _farm: (),
    "broken-fragment": _broken_fragments,
    "redirected-link": _linked_where(lambda farm, url: farm.answer(url)[0] == "to" and not _is_root(url)),
    "temporary-redirect": _linked_where(lambda farm, url: farm.answer(url)[0] == "to" and _is_root(url)),
    "redirect-chain": _linked_where(lambda farm, url: farm.end(url)[1] > 1 and farm.end(url)[0] is not None),
    "redirect-loop": _linked_where(lambda farm, url: farm.end(url)[0] is None),
    "insecure-link": lambda _farm: (),
    "blocked-linked": _linked_where(_is_kind("robots")),
    "canonical-elsewhere": _elsewhere,
    "canonical-broken": _canonical_broken,
    "canonical-chain": _canonical_chains,
    "several-canonicals": _pages_where(lambda page: len(page.canonicals) > 1),
    "noindex-linked": _linked_where(lambda farm, url: url in farm.read and farm.read[url].is_noindex),
    "structured-data-broken": _pages_where(lambda page: page.has_bad_data),
    "title-missing": _pages_where(lambda page: not page.title),
    "title-long": _pages_where(lambda page: len(page.title or "") > 65),
    "title-duplicate": _shared(lambda page: page.title or ""),
    "description-missing": _pages_where(lambda page: not page.description),
    "description-long": _pages_where(lambda page: len(page.description) > 160),
    "description-duplicate": _shared(lambda page: page.description),
    "h1-missing": _pages_where(lambda page: not any(_ones(page))),
    "h1-several": _pages_where(lambda page: len(_ones(page)) > 1),
    "h1-long": _pages_where(lambda page: any(len(text) > 120 for text in _ones(page))),
    "heading-skipped": _pages_where(
        lambda page: any(low > high + 1 for (high, _), (low, _) in pairwise(page.headings))
    ),
    "language-missing": _pages_where(lambda page: not page.language),
    "hreflang-no-return": _no_return,
    "hreflang-default": _no_default,
    "hreflang-broken": _bad_translations,
    "exact-duplicate": _same_bodies,
    "orphan": _orphans,
    "single-inlink": _single,
    "dead-end": _dead_ends,
    "deep-page": _deep,
    "image-alt": _pages_where(lambda page: page.bare_images > 0),
    "broken-image": _files_where(("image",), "missing"),
    "broken-asset": _files_where(("other",), "missing"),
    "unreachable-asset": _files_where(("image", "other"), "nothing"),
    "unchecked-asset": _files_where(("image", "other"), "refused"),
    "heavy-image": _heavy_images,
    "broken-outside-link": _outside_where("missing"),
    "unreachable-outside-link": _outside_where("nothing"),
    "unchecked-outside-link": _outside_where("refused"),
    "malformed-link": lambda farm: [url for url in farm.read if farm.has_malformed_links(url)],
    "hreflang-code": _bad_codes,
    "viewport-missing": _pages_where(lambda page: not page.has_viewport),
    "heavy-page": lambda farm: [url for url in farm.read if farm.sent_bytes(url)[0] > 500_000],
    "uncompressed-page": lambda farm: [
        url for url in farm.read if farm.sent_bytes(url)[0] > 10_000 and not farm.sent_bytes(url)[1]
    ],
    "mixed-content": lambda _farm: (),
    "cache-headers": lambda _farm: (),
    "asset-cache-headers": lambda _farm: (),
    "security-headers": lambda farm: {f"http://{urlsplit(url).netloc}" for url in farm.read},
    "certificate-ends": lambda _farm: (),
}
"""Rule -> the URLs at fault."""
