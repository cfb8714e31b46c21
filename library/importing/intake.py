"""Turns the items of an archive into what a crawl would have stored: pages with numbers, links, outcomes. Pure.

An import has no frontier. Pages of the domain that the archive lacks wait in the store; `crawl --resume` would fetch
them.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from hinterland.crawler.fetching.answers import Answer, NoAnswer
from hinterland.crawler.fetching.outcomes import OutcomeKind
from hinterland.crawler.fetching.robots.answers import RobotsUnread, read_robots
from hinterland.crawler.fetching.robots.rules import parse_robots
from hinterland.crawler.fetching.verdicts import Verdict, judge
from hinterland.crawler.frontier.pages.discoveries import Discoveries
from hinterland.crawler.frontier.pages.known_pages import KnownPages
from hinterland.crawler.frontier.pages.scope import Scope
from hinterland.crawler.loop.decisions.visit_records import LinkNumbering, kept_sitemaps, visit_record
from hinterland.crawler.parsing.html.parsed_page import ParsedPage
from hinterland.crawler.parsing.messages import PageDigest
from hinterland.crawler.settings import Settings
from hinterland.crawler.urls.canonical import Canonicaliser
from hinterland.crawler.urls.hosts import host_of, path_of
from hinterland.library.importing.items import ArchivedLinks, ArchivedResponse
from hinterland.storage.values.hosts import HostStateRecord, StoredHost
from hinterland.storage.values.records import DiscoveriesRecord, LinkColumns, Record, RobotsRecord, VisitRecord

_NEVER = float("-inf")


@dataclass(slots=True)
class Captures:
    """When the stored version of each page was captured, and how many of its captures were stored. Mutable."""

    at: array[float] = field(default_factory=lambda: array("d"))
    attempts: array[int] = field(default_factory=lambda: array("H"))

    def note(self, page: int, at: float, attempt: int) -> None:
        """Set the time and the number of a page's last capture."""
        if page >= len(self.at):
            missing = page + 1 - len(self.at)
            self.at.extend([_NEVER] * missing)
            self.attempts.extend([0] * missing)
        self.at[page], self.attempts[page] = at, min(attempt, 65_535)

    def of(self, page: int | None) -> tuple[float, int]:
        """Return the time and the number of a page's last capture; (-inf, 0) if there is none."""
        return (_NEVER, 0) if page is None or page >= len(self.at) else (self.at[page], self.attempts[page])


class Intake:
    """Turns items into records, in their order. If a page was captured several times, the latest capture counts."""

    def __init__(
        self,
        settings: Settings,
        *,
        scope: Scope,
        known: KnownPages,
        captures: Captures,
        hosts: Iterable[StoredHost] = (),
        robots_at: dict[int, float] | None = None,
        last_visit: int = 0,
        takes_all_hosts: bool,
    ) -> None:
        """Start from what a store knows.

        `takes_all_hosts` makes every host with an HTML page local, whatever the scope says. `robots_at` holds the time
        at which the robots.txt of each host was fetched.
        """
        self._settings = settings
        self._scope = scope
        self._known = known
        self._canonicaliser = Canonicaliser.under(settings.urls)
        self._captures = captures
        self._hosts = {host.number: host for host in hosts}
        self._pages_fetched = {number: host.pages_fetched for number, host in self._hosts.items()}
        self._robots_at = robots_at or {}
        self._last_visit = last_visit
        self._takes_all_hosts = takes_all_hosts
        self._taken_hosts = set[str]()
        self._numbering = LinkNumbering(known, settings)

    def is_news(self, url: str, captured_at: float) -> bool:
        """Return whether this capture of a canonical URL is newer than the version in the store."""
        return captured_at > self.captured_at(url)

    def has(self, url: str, captured_at: float) -> bool:
        """Return whether the stored version of a canonical URL was captured at this time.

        If the time is in whole seconds, the fraction of the stored time is ignored.
        """
        later = self.captured_at(url) - captured_at
        return later == 0.0 or (captured_at.is_integer() and 0.0 < later < 1.0)

    def captured_at(self, url: str) -> float:
        """Return when the stored version of a canonical URL was captured, in epoch seconds; -inf if there is none."""
        if is_robots(url):
            host = self._known.find_host(host_of(url))
            return _NEVER if host is None else self._robots_at.get(host, _NEVER)
        return self._captures.of(self._known.find(url))[0]

    def response(self, item: ArchivedResponse, url: str, verdict: Verdict, digest: PageDigest | None) -> VisitRecord:
        """Return the record of a visit, under the canonical URL of the page.

        `digest` is what was parsed from the body; None if there was no body to parse.
        """
        parsed = None if digest is None else digest.page
        return self._visit(
            url=url,
            at=item.captured_at,
            verdict=verdict,
            parsed=parsed,
            answer=item.answer,
            digest=digest,
            address=item.address,
        )

    def links(self, item: ArchivedLinks) -> VisitRecord:
        """Return the record of a page that is known only by its links."""
        answer = Answer(item.status, b"", 0.0, content_type=item.content_type, location=item.location)
        verdict = judge(answer, item.url, self._canonicaliser)
        parsed = item.page if verdict.kind is OutcomeKind.FETCHED else None
        return self._visit(
            url=item.url, at=item.captured_at, verdict=verdict, parsed=parsed, answer=answer, digest=None, address=None
        )

    def robots(self, item: ArchivedResponse, url: str) -> list[Record]:
        """Return the records of a host's robots.txt; empty if it has moved or is not a robots.txt."""
        settings, answer = self._settings.robots, item.answer
        max_decoded = self._settings.fetching.max_body_bytes
        read = read_robots(answer, max_decoded_bytes=max_decoded)
        if not isinstance(answer, Answer) or isinstance(read, RobotsUnread) or 300 <= answer.status < 400:
            return []
        discoveries = Discoveries()
        host = self._known.host_number(host_of(url), discoveries)
        self._robots_at[host] = item.captured_at
        rules = parse_robots(read.text or b"", self._settings.identity.name)
        expires_at = item.captured_at + settings.max_age_seconds
        sitemaps, left_out = kept_sitemaps(rules.sitemaps)
        record = RobotsRecord(
            host=host,
            status=answer.status,
            fetched_at=item.captured_at,
            expires_at=expires_at,
            text=read.text,
            crawl_delay=rules.crawl_delay,
            sitemaps=sitemaps,
            sitemaps_left_out=left_out,
        )
        return [DiscoveriesRecord(discoveries.new_hosts), record]

    def _visit(
        self,
        url: str,
        at: float,
        verdict: Verdict,
        parsed: ParsedPage | None,
        answer: Answer | NoAnswer,
        digest: PageDigest | None,
        address: str | None,
    ) -> VisitRecord:
        discoveries, known = Discoveries(), self._known
        if verdict.kind is OutcomeKind.FETCHED and self._takes_all_hosts:
            self._take_host(url, discoveries)
        page = known.add_found(url, discoveries)
        verdict, outlinks = self._numbering.of_visit(page, url, verdict, parsed, discoveries)
        if not known.is_local(page):
            known.note_fetched(page)
        attempt = self._captures.of(page)[1] + 1
        self._captures.note(page, at, attempt)
        if outlinks.columns is None and attempt > 1:
            outlinks = replace(outlinks, columns=_NO_LINKS)
        self._last_visit += 1
        return visit_record(
            visit=self._last_visit,
            page=page,
            attempt=attempt,
            started_at=at,
            verdict=verdict,
            answer=answer,
            digest=digest,
            parsed=parsed,
            outlinks=outlinks,
            discoveries=discoveries,
            host_state=self._host_state(known.host_of(page), address),
        )

    def _take_host(self, url: str, discoveries: Discoveries) -> None:
        host = host_of(url)
        if host not in self._taken_hosts:
            self._taken_hosts.add(host)
            if not self._scope.is_local(url):
                self._known.add_seeds([url], discoveries)

    def _host_state(self, number: int, address: str | None) -> HostStateRecord:
        host = self._hosts.get(number)
        fetched = self._pages_fetched[number] = self._pages_fetched.get(number, 0) + 1
        if host is None:
            return HostStateRecord(number, address, 0.0, 0.0, 0, fetched, is_given_up=False)
        return HostStateRecord(
            number=number,
            address=address,
            next_fetch=host.next_fetch,
            rest_seconds=host.rest_seconds,
            failures=host.failures,
            pages_fetched=fetched,
            is_given_up=bool(host.is_given_up),
        )


_NO_LINKS = LinkColumns([], b"", b"", [])
"""Written to remove the links of an earlier capture."""


def is_robots(url: str) -> bool:
    """Return whether a canonical URL is the URL of a robots.txt."""
    return path_of(url) == "/robots.txt"
