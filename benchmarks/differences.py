"""Every way in which a crawl differs from the truth, each with the rule that explains it, if one does.

A rule is a function of one difference that looks at evidence, and answers only if the evidence is there.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from benchmarks.store_reading import StoredCrawl
from benchmarks.truth import Truth

_STRAY_PERCENT: Final = re.compile(r"%(?![0-9A-Fa-f]{2})")
_EMPTY_SEGMENTS: Final = re.compile(r"(?<!:)/{2,}")


@dataclass(frozen=True, slots=True)
class Difference:
    """One URL about which crawl and truth disagree. rule: None if nothing explains it."""

    kind: str
    url: str
    rule: str | None
    evidence: str


@dataclass(frozen=True, slots=True)
class Evidence:
    """All that rules may look at.

    requests: how often the server was asked for each URL, if known. spellings: URL without empty path
    segments -> the pages fetched.
    """

    crawl: StoredCrawl
    truth: Truth
    max_body_bytes: int
    requests: Counter[str]
    fetched: frozenset[str]
    spellings: dict[str, list[str]]


Rule = Callable[[str, Evidence], str | None]
"""Explains the difference about a URL, or answers None."""


def differences(
    crawl: StoredCrawl,
    truth: Truth,
    *,
    max_body_bytes: int,
    requests: Sequence[str] = (),
    was_cut_off: bool = False,
) -> Iterator[Difference]:
    """Yield all differences, by kind.

    `requests` are the URLs that the server was asked for, if they are known. `was_cut_off` says that the network was
    down for a time.
    """
    fetched = frozenset(url for url, page in crawl.visited.items() if page.outcome == "fetched")
    spellings = defaultdict(list)
    for url in fetched:
        spellings[_without_empty_segments(url)].append(url)
    evidence = Evidence(crawl, truth, max_body_bytes, Counter(requests), fetched, dict(spellings))
    surprising = [url for url, page in crawl.visited.items() if page.outcome != truth.outcome(url)]
    revisited = [url for url, page in crawl.visited.items() if page.attempts > 1]
    repeated = [url for url, times in evidence.requests.items() if times > 1]
    yield from _explained("in the truth, not fetched", truth.pages - fetched, MISSING, evidence)
    yield from _explained("fetched, not in the truth", fetched - truth.pages, EXTRA, evidence)
    yield from _explained("not what the server's files foretell", surprising, SURPRISING, evidence)
    yield from _explained("local, never visited", crawl.local_unvisited, UNVISITED, evidence)
    yield from _explained("visited more than once", revisited, CUT_OFF if was_cut_off else (), evidence)
    yield from _explained("asked for more than once", repeated, REPEATED, evidence)


def _explained(kind: str, urls: Iterable[str], rules: Sequence[Rule], evidence: Evidence) -> Iterator[Difference]:
    for url in sorted(urls):
        explanation = next((found for rule in rules if (found := rule(url, evidence)) is not None), None)
        yield Difference(kind, url, explanation, _evidence(url, evidence.crawl))


def _evidence(url: str, crawl: StoredCrawl) -> str:
    page = crawl.visited.get(url)
    if page is None:
        return f"the store says: {crawl.local_unvisited.get(url, 'unknown')}"
    inlinks = sorted({f"{link.kind} from {link.source}" for link in crawl.inlinks(url)})
    return f"{page.outcome} {page.status} {page.detail}; {', '.join(inlinks[:2])}"


# ---------------------------------------------------------------- rules


def _named_in_outcome(url: str, evidence: Evidence) -> str | None:
    page = evidence.crawl.visited.get(url)
    if page is None:
        return None
    match page.outcome:
        case "too_large" if evidence.truth.size(url) > evidence.max_body_bytes:
            return "larger than fetching.max_body_bytes"
        case "other_type" if evidence.truth.outcome(url) == "fetched":
            return "named like HTML, but the server calls it by another content type"
        case "other_type" if evidence.truth.is_only_compressed(url):
            return "there only as .gz, which the server sends to those who accept gzip"
        case "fetched" if evidence.truth.outcome(url) == "other_type":
            return "not named like HTML, but the server calls it so"
        case "client_error" if page.status == 400 and _STRAY_PERCENT.search(url):
            return "a % that begins no escape: the server refuses what the truth takes literally"
    return None


def _spelled_without_empty_segments(url: str, evidence: Evidence) -> str | None:
    """urllib, which the truth resolves with, drops the empty segment of ..//x; browsers keep it.

    That changes one page's URL and does not make two of it: exactly one spelling may have been fetched.
    """
    plain = _without_empty_segments(url)
    if plain in evidence.truth.pages - evidence.fetched and len(evidence.spellings.get(plain, [])) == 1:
        return "the same but for an empty path segment (//), which the truth's URL joining drops"
    return None


def _forbidden_where_it_leads(url: str, evidence: Evidence) -> str | None:
    """Explain an alias that redirects even its robots.txt to that of its target, which applies to it."""
    target = evidence.truth.redirect(url)
    page = evidence.crawl.visited[url]
    if page.outcome == "robots" and target is not None and evidence.truth.outcome(target) == "robots":
        return "a redirect that the target's robots.txt, to which the alias' own redirects, forbids to ask for"
    return None


def _robots_of_aliases(url: str, evidence: Evidence) -> str | None:
    """Each host's robots.txt is asked for on its own account, wherever it leads."""
    askers = sum(evidence.truth.redirect(other) == url for other in evidence.requests if _is_robots(other))
    if _is_robots(url) and evidence.requests[url] <= 1 + askers:
        return "robots.txt: once for its host, once for each alias whose own redirects there"
    return None


def _is_robots(url: str) -> bool:
    return url.endswith("/robots.txt") and url.count("/") == 3


def _all_nofollow(url: str, evidence: Evidence) -> str | None:
    links = evidence.crawl.inlinks(url)
    if evidence.crawl.local_unvisited.get(url) == "known" and links and all(link.nofollow for link in links):
        return "every link there says nofollow"
    return None


def _over_other_links(url: str, evidence: Evidence) -> str | None:
    """Explain a page that only other links lead to.

    The truth follows only <a href>. If what it reached leads here that way, this is no explanation.
    """
    links = evidence.crawl.inlinks(url)
    kinds = {link.kind for link in links if link.source in evidence.truth.reached}
    if links and not kinds:
        return "only pages lead there that the truth does not reach"
    if not kinds or kinds & {"a", "redirect"}:
        return None
    return f"only {' and '.join(sorted(kinds))} lead there, which the truth does not follow"


def _asked_again_with_success(url: str, evidence: Evidence) -> str | None:
    is_foretold = evidence.crawl.visited[url].outcome == evidence.truth.outcome(url)
    if is_foretold or any(rule(url, evidence) for rule in SURPRISING):
        return "a visit failed while there was no network, and another did not"
    return None


CUT_OFF: Final[tuple[Rule, ...]] = (_asked_again_with_success,)
MISSING: Final[tuple[Rule, ...]] = (_named_in_outcome, _spelled_without_empty_segments, _all_nofollow)
EXTRA: Final[tuple[Rule, ...]] = (_named_in_outcome, _over_other_links, _spelled_without_empty_segments)
SURPRISING: Final[tuple[Rule, ...]] = (_named_in_outcome, _forbidden_where_it_leads)
REPEATED: Final[tuple[Rule, ...]] = (_robots_of_aliases,)
UNVISITED: Final[tuple[Rule, ...]] = (_all_nofollow,)


def _without_empty_segments(url: str) -> str:
    return _EMPTY_SEGMENTS.sub("/", url)
