"""Turns a visit to a page, made by a crawl or read from an archive, into its record for the store. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import compress

from hinterland.crawler.fetching.answers import Answer, NoAnswer
from hinterland.crawler.fetching.outcomes import OutcomeKind, final_state
from hinterland.crawler.fetching.verdicts import Verdict
from hinterland.crawler.frontier.pages.discoveries import Discoveries
from hinterland.crawler.frontier.pages.known_pages import KnownPages
from hinterland.crawler.frontier.pages.page_state import PageState
from hinterland.crawler.parsing.html.meta_refresh import field_refresh
from hinterland.crawler.parsing.html.page_bounds import (
    MAX_CHARACTERS_OF_SITEMAPS,
    MAX_FIELD_CHARACTERS,
    MAX_SITEMAPS,
    Truncations,
)
from hinterland.crawler.parsing.html.parsed_page import LinkKind, ParsedPage
from hinterland.crawler.parsing.messages import PageDigest
from hinterland.crawler.settings import Settings
from hinterland.crawler.urls.canonical import Canonicaliser
from hinterland.storage.values.hosts import HostStateRecord
from hinterland.storage.values.records import ContentRecord, LinkColumns, VisitRecord


@dataclass(frozen=True, slots=True)
class Outlinks:
    """The links of a page, its redirect or its canonical page, as page numbers.

    `columns` is None if nothing was read that could have links. `targets` holds the targets of all links in page order,
    -1 for links that are not kept.
    """

    columns: LinkColumns | None = None
    redirect_target: int | None = None
    canonical: int | None = None
    targets: Sequence[int] = ()


@dataclass(slots=True)
class NumberedLinks:
    """The links of a page whose page numbers were assigned in batches. Mutable.

    `targets` holds -1 for links that are not kept. `left_out` counts links that are not kept because they lead to new
    URLs of a host that already has too many.
    """

    targets: list[int]
    left_out: int = 0


class LinkNumbering:
    """Turns the URLs that a page links or redirects to into page numbers, and adds new pages to the discoveries.

    Mutable: it keeps, for each page reached by redirects, the length of its redirect chain.
    """

    def __init__(self, known: KnownPages, settings: Settings, redirects: dict[int, int] | None = None) -> None:
        """`redirects` holds, by page, the lengths of the redirect chains found in earlier runs."""
        self._known = known
        self._robots = settings.robots
        self._max_redirects = settings.fetching.max_redirects
        self._redirects = redirects or {}

    def part_of_page(self, page: int, parsed: ParsedPage, part: slice, discoveries: Discoveries) -> list[int]:
        """Return the page numbers of one batch of a page's links, -1 for links that are not kept."""
        is_followed, nofollow = None, parsed.link_nofollow[part]
        # If a page asks for nofollow on all of its links, all of them are marked.
        if 1 in nofollow and self._robots.heeds_nofollow(of_page=parsed.nofollow):
            is_followed = [not flag for flag in nofollow].__getitem__
        return self._known.add_links(parsed.link_urls[part], is_followed, page, discoveries)

    def of_visit(
        self,
        page: int,
        url: str,
        verdict: Verdict,
        parsed: ParsedPage | None,
        discoveries: Discoveries,
        targets: list[int] | None = None,
    ) -> tuple[Verdict, Outlinks]:
        """Return the verdict, which `of_redirect` may change, and the page numbers of the links or of the redirect."""
        if verdict.kind is OutcomeKind.REDIRECTED:
            return self.of_redirect(page, verdict, discoveries)
        if parsed is None:
            return verdict, Outlinks()
        return verdict, self.of_page(page, url, parsed, discoveries, targets)

    def of_page(
        self, page: int, url: str, parsed: ParsedPage, discoveries: Discoveries, targets: list[int] | None = None
    ) -> Outlinks:
        """Return the links of a page; `targets` are their page numbers if these were assigned in batches."""
        if targets is None:
            targets = self.part_of_page(page, parsed, slice(None), discoveries)
        canonical = None
        if parsed.canonical is not None:
            canonical = page if parsed.canonical == url else self._known.find(parsed.canonical)
        columns = LinkColumns(targets, parsed.link_kinds, parsed.link_nofollow, parsed.link_anchors)
        return Outlinks(_kept(columns) if -1 in targets else columns, canonical=canonical, targets=targets)

    def of_redirect(self, page: int, verdict: Verdict, discoveries: Discoveries) -> tuple[Verdict, Outlinks]:
        """Return the verdict on a redirect and its target.

        If the chain of redirects is too long, the returned verdict says so, and the target is recorded but not visited.
        """
        url = verdict.target
        assert url is not None
        redirects = self._redirects.get(page, 0) + 1
        if redirects > self._max_redirects:
            detail = f"more than {self._max_redirects}, the last to {url}"
            [target] = self._known.add_links([url], lambda _: False, page, discoveries)
            verdict = Verdict(OutcomeKind.TOO_MANY_REDIRECTS, detail, verdict.status)
        else:
            target = self._known.add_redirect(url, page, redirects, discoveries)
            if discoveries.admitted:
                self._redirects[target] = redirects
        return verdict, Outlinks(LinkColumns([target], bytes([LinkKind.REDIRECT]), b"\0", [""]), target)

    def redirects_to(self, page: int) -> int:
        """Return how many redirects in a row led to a waiting page."""
        return self._redirects.get(page, 0)

    def redirected_to(self, page: int, redirects: int) -> None:
        """Note how many redirects in a row led to a page in another shard."""
        self._redirects[page] = redirects

    def done_with(self, page: int) -> None:
        """Forget a page that will not be visited again."""
        self._redirects.pop(page, None)


def verdict_on(digest: PageDigest, url: str, status: int | None, canonicaliser: Canonicaliser) -> Verdict:
    """Return the verdict on a parsed answer. A page whose scripts lead to another URL counts as a redirect."""
    if digest.comparison is not None and digest.comparison.is_same:
        return Verdict(OutcomeKind.FETCHED, "", status, is_same=True)
    if digest.page is None:
        return Verdict(OutcomeKind(digest.failure), digest.detail, status)
    rendered = digest.rendered
    if rendered is None:
        return Verdict(OutcomeKind.FETCHED, "", status)
    target = canonicaliser.canonical(rendered.moved_to, url) if rendered.moved_to else None
    if target is not None and target != url:
        return Verdict(OutcomeKind.REDIRECTED, "by a script", status, target)
    return Verdict(OutcomeKind.FETCHED, rendered.problem, status)


def moved_by_field(verdict: Verdict, answer: Answer | NoAnswer, url: str, canonicaliser: Canonicaliser) -> Verdict:
    """Return the verdict on an answer that is not parsed: a redirect if its Refresh field leads to another URL.

    Without this, the target of such a field would never be found.
    """
    if verdict.kind is not OutcomeKind.OTHER_TYPE or not isinstance(answer, Answer):
        return verdict
    said = field_refresh(answer.refresh, url)
    target = None if said is None else canonicaliser.canonical(said[1], url)
    if target is None or target == url:
        return verdict
    return Verdict(OutcomeKind.REDIRECTED, "by a Refresh field", verdict.status, target)


def visit_record(
    *,
    visit: int,
    page: int,
    attempt: int,
    started_at: float,
    verdict: Verdict,
    answer: Answer | NoAnswer | None,
    digest: PageDigest | None,
    parsed: ParsedPage | None,
    outlinks: Outlinks,
    discoveries: Discoveries,
    host_state: HostStateRecord,
    retry_at: float | None = None,
) -> VisitRecord:
    """Return the record of a visit.

    `digest` is the digest of the body, None if there was none to parse. `parsed` is the content of the page, from the
    digest or elsewhere. `discoveries` holds everything that this visit found.
    """
    got = answer if isinstance(answer, Answer) else None
    cuts = Truncations()
    if parsed is not None:
        cuts.counts.update(parsed.cut)
    cuts.note("urls", discoveries.urls_left_out)
    detail = cuts.text("detail", verdict.detail, MAX_FIELD_CHARACTERS)
    content_type = etag = last_modified = None
    if got is not None:
        content_type = cuts.field("content_type", got.content_type)
        etag = cuts.validator("etag", got.etag)
        last_modified = cuts.validator("last_modified", got.last_modified)
    return VisitRecord(
        visit=visit,
        page=page,
        state=(PageState.WAITING if retry_at is not None else final_state(verdict.kind)).value,
        outcome=verdict.kind.value,
        detail=detail,
        attempt=attempt,
        started_at=started_at,
        seconds=0.0 if answer is None else answer.seconds,
        host_state=host_state,
        retry_at=retry_at,
        status=verdict.status,
        content_type=content_type,
        charset=None if parsed is None else parsed.charset or None,
        wire_bytes=0 if got is None else len(got.body),
        body_bytes=0 if digest is None else digest.body_bytes,
        body_hash=None if digest is None or digest.page is None else digest.body_hash,
        etag=etag,
        last_modified=last_modified,
        redirect_target=outlinks.redirect_target,
        canonical=outlinks.canonical,
        title=None if parsed is None else parsed.title,
        description=None if parsed is None else parsed.description,
        language=None if parsed is None else parsed.language,
        is_noindex=parsed is not None and parsed.noindex,
        is_nofollow=parsed is not None and parsed.nofollow,
        bad_links=0 if parsed is None else parsed.bad_links,
        cut=cuts.counts,
        rendering=_rendering(digest),
        links=outlinks.columns,
        content=_content(digest),
        new_hosts=discoveries.new_hosts,
        new_pages=discoveries.new_pages,
        admitted=discoveries.readmitted,
        localised=discoveries.localised,
        nearer=discoveries.nearer,
        handed_over=discoveries.handed_over,
    )


def _rendering(digest: PageDigest | None) -> str | None:
    """Return how the page was rendered; see storage.values.pages.RENDERINGS."""
    if digest is None or digest.page is None:
        return None
    if digest.rendered is not None:
        return "rendered" if digest.rendered.is_done else "unrendered"
    return "shell" if digest.is_shell else None


def _content(digest: PageDigest | None) -> ContentRecord | None:
    if digest is None or digest.page is None or (digest.text is None and digest.body is None):
        return None
    return ContentRecord(digest.text, digest.headings, digest.body, digest.main or None)


def _kept(columns: LinkColumns) -> LinkColumns:
    """Return the columns restricted to links that are kept."""
    kept = [target >= 0 for target in columns.targets]
    return LinkColumns(
        list(compress(columns.targets, kept)),
        bytes(compress(columns.kinds, kept)),
        bytes(compress(columns.nofollow, kept)),
        list(compress(columns.anchors, kept)),
    )


def kept_sitemaps(sitemaps: Sequence[str]) -> tuple[Sequence[str], int]:
    """Return the sitemaps of a robots.txt that are stored, and how many are left out as too long or too many."""
    kept: list[str] = []
    room = MAX_CHARACTERS_OF_SITEMAPS
    for each in sitemaps:
        if len(kept) < MAX_SITEMAPS and len(each) <= min(room, 2 * MAX_FIELD_CHARACTERS):
            kept.append(each)
            room -= len(each)
    return kept, len(sitemaps) - len(kept)
