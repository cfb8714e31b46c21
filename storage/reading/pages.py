"""Queries about pages."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from hinterland.storage.reading.subject_queries import DETAIL, TITLE, URL, SubjectQueries, cut
from hinterland.storage.schema import FAILED
from hinterland.storage.sorted_links.reading import is_sorted, pages_with_body
from hinterland.storage.values.compression import DamagedFrame, beginning, unpacked, unpacked_bytes
from hinterland.storage.values.pages import (
    PAGE_STATES,
    RENDERINGS,
    FailureReport,
    NamedPage,
    Page,
    PageCounts,
    RenderingReport,
    StoredContent,
    StoredText,
)

_AT_ONCE = 500
_EARLY = 10_000
_MAX_TEXT_BYTES = 400_000
_MAX_HEADINGS = 500

_PAGE = f"""
SELECT page.id AS number, page.url, host.url AS host, page.state, page.is_local, page.depth, page.referrer, visit,
       outcome, {DETAIL}, attempt, retry_at, started_at AS fetched_at, seconds, status,
       {cut("content_type")} AS content_type, {cut("charset")} AS charset, wire_bytes, body_bytes,
       {cut("last_modified")} AS last_modified, redirect_target, canonical, {TITLE},
       {cut("description")} AS description, {cut("language")} AS language, is_noindex, is_nofollow, cut, rendering
FROM page JOIN host ON host.id = page.host LEFT JOIN fetch ON fetch.page = page.id WHERE page.id = ?
"""


class PageQueries(SubjectQueries):
    """Queries about pages; see StoreReader."""

    # ---------------------------------------------------------------- one page

    def number_of(self, url: str) -> int | None:
        """Return the number of the page with this canonical URL; None if the page is unknown."""
        number: int | None = self._value("SELECT id FROM page WHERE url = ?", url)
        return number

    def page(self, number: int) -> Page | None:
        """Return a page; None if it is unknown."""
        row = self._row(_PAGE, number)
        if row is None:
            return None
        changed = {
            **{name: self._named(row[name]) for name in ("referrer", "redirect_target", "canonical")},
            **{name: bool(row[name]) for name in ("is_local", "is_noindex", "is_nofollow")},
            "cut": json.loads(row["cut"] or "{}"),
        }
        return Page(**{**row, **changed})

    def by_url(self, url: str) -> Page | None:
        """Return the page with this canonical URL; None if it is unknown."""
        number = self.number_of(url)
        return None if number is None else self.page(number)

    def named(self, numbers: Sequence[int]) -> dict[int, NamedPage]:
        """Return each page with its URL and title, by number; pages that the store does not know are left out."""
        sql = f"SELECT id AS number, {URL}, {TITLE} FROM page LEFT JOIN fetch ON fetch.page = page.id WHERE id = ?"
        return {number: NamedPage(**row) for number in numbers for row in self._rows(sql, number)}

    def _named(self, number: int | None) -> NamedPage | None:
        return None if number is None else self.named([number]).get(number)

    def copies(self, number: int, limit: int) -> list[NamedPage] | None:
        """Return other pages with exactly the same body.

        Returns None while the pages of an earlier version's store are being sorted, because an answer would take long
        then.
        """
        if not is_sorted(self._connection):
            return None
        body_hash = self._value("SELECT body_hash FROM fetch WHERE page = ?", number)
        if body_hash is None:
            return []
        rows = self._rows(
            "SELECT page FROM json_each(?) AS each CROSS JOIN fetch ON page = each.value"
            " WHERE outcome = 'fetched' AND body_hash = ? AND page <> ? LIMIT ?",
            json.dumps(pages_with_body(self._connection, body_hash)), body_hash, number, limit,
        )  # fmt: skip
        return list(self.named([row["page"] for row in rows]).values())

    # ---------------------------------------------------------------- its content

    def text(self, number: int) -> StoredText | None:
        """Return the visible text of a page; None if the store keeps no content of it."""
        row = self._row(
            "SELECT text, iif(json_valid(headings), json_array_length(headings), -1) AS headings"
            " FROM content WHERE page = ?",
            number,
        )
        if row is None:
            return None
        headings: int = row["headings"]
        problems = [] if headings >= 0 else ["the stored headings are damaged"]
        outline = self._headings(number) if headings > 0 else []
        text, is_whole = "", True
        if row["text"] is not None:
            try:
                text, is_whole = beginning(row["text"], _MAX_TEXT_BYTES)
            except DamagedFrame as error:
                problems.append(f"the stored text is damaged: {error}")
                is_whole = False
        return StoredText(text, is_whole, outline, max(headings, 0) - len(outline), "; ".join(problems))

    def main_content(self, number: int) -> bytes:
        """Return which blocks of a page's text are its main content (crawler/parsing/blocks); b"" if not known."""
        return self._value("SELECT main FROM content WHERE page = ?", number) or b""

    def _headings(self, number: int) -> list[tuple[int, str]]:
        """Return the first headings as (level, text).

        SQLite parses their JSON, so that a page with a million headings costs little.
        """
        text = "coalesce(CAST(each.value ->> 1 AS TEXT), '')"
        rows = self._rows(
            f"SELECT coalesce(CAST(each.value ->> 0 AS INTEGER), 0) AS level, {cut(text)} AS heading"
            " FROM content, json_each(headings) AS each WHERE page = ? ORDER BY each.key LIMIT ?",
            number, _MAX_HEADINGS,
        )  # fmt: skip
        return [(int(row["level"]), str(row["heading"])) for row in rows]

    def content(self, number: int) -> StoredContent | None:
        """Return all stored content of a page; None if nothing is stored. Raises DamagedFrame."""
        row = self._row("SELECT text, main, headings, body FROM content WHERE page = ?", number)
        if row is None:
            return None
        body = None if row["body"] is None else unpacked_bytes(row["body"])
        return StoredContent(unpacked(row["text"]), row["main"] or b"", row["headings"], body)

    def body(self, number: int) -> bytes | None:
        """Return the decoded body; None if it was not stored."""
        body = self._value("SELECT body FROM content WHERE page = ?", number)
        return None if body is None else unpacked_bytes(body)

    def with_bodies(self, numbers: Sequence[int]) -> set[int]:
        """Return which of the given pages have a stored body."""
        marks = ",".join("?" * len(numbers))
        rows = self._rows(f"SELECT page FROM content WHERE body IS NOT NULL AND page IN ({marks})", *numbers)
        return {int(row["page"]) for row in rows}

    # ---------------------------------------------------------------- all pages

    def is_empty(self) -> bool:
        """Return whether no page is known."""
        return self._row("SELECT 1 FROM page LIMIT 1") is None

    def has_fetched(self) -> bool:
        """Return whether any page was fetched, even one whose type is not parsed."""
        return self._row("SELECT 1 FROM page WHERE state = 'fetched' LIMIT 1") is not None

    def count(self) -> int:
        """Return the number of known pages, which is also the next page number."""
        return int(self._value("SELECT coalesce(max(id) + 1, 0) FROM page"))

    def titled(self, words: Sequence[str], most: int) -> list[int]:
        """Return fetched pages that contain any of `words` (lower case) in their title or URL, best matches first.

        The best match contains most of the words; ties are in pseudo-random order. Every title is examined.
        """
        has_word = "(instr(lower(coalesce(title, '')), ?) > 0) * 2 + (instr(lower(url), ?) > 0)"
        points = " + ".join([has_word] * len(words))
        rows = self._rows(
            f"SELECT page, {points} AS points FROM fetch JOIN page ON page.id = page WHERE outcome = 'fetched'"
            " AND points > 0 ORDER BY points DESC, page * 2654435761 % 4294967296 LIMIT ?",
            *(word for word in words for _ in range(2)), most,
        )  # fmt: skip
        return [row["page"] for row in rows]

    def last_visit(self) -> int:
        """Return the number of the last visit; 0 if there was none."""
        return int(self._value("SELECT coalesce(max(visit), 0) FROM fetch"))

    def urls(self) -> list[str]:
        """Return the URLs of all known pages, by number."""
        return [str(url) for (url,) in self._connection.execute("SELECT url FROM page ORDER BY id")]

    def numbers_fetched(self) -> list[int]:
        """Return the numbers of all fetched HTML pages, ascending."""
        return [page for (page,) in self._connection.execute("SELECT id FROM page WHERE state = 'fetched' ORDER BY id")]

    def urls_around(self, url: str, count: int) -> tuple[list[str], list[str]]:
        """Return up to `count` known URLs below `url`, the nearest first, and up to `count` from `url` on.

        URLs are ordered by their bytes.
        """
        before = self._rows("SELECT url FROM page WHERE url < ? ORDER BY url DESC LIMIT ?", url, count)
        after = self._rows("SELECT url FROM page WHERE url >= ? ORDER BY url LIMIT ?", url, count)
        return [row["url"] for row in before], [row["url"] for row in after]

    def hosts_of(self, numbers: Sequence[int]) -> dict[int, int]:
        """Return the host number of each page; pages unknown to the store are left out."""
        return self._by_number("SELECT id, host FROM page WHERE id IN", numbers)

    def urls_of(self, numbers: Sequence[int]) -> dict[int, str]:
        """Return the complete URL of each page, by page number; unknown pages are left out. The crawl uses this."""
        return self._by_number("SELECT id, url FROM page WHERE id IN", numbers)

    def outcomes_of(self, numbers: Sequence[int]) -> dict[int, str]:
        """Return the outcome of the last visit to each page; pages never visited are left out."""
        return self._by_number("SELECT page, outcome FROM fetch WHERE page IN", numbers)

    def redirected_pages(self) -> list[int]:
        """Return the pages whose last visit ended with a redirect."""
        return [number for (number,) in self._connection.execute("SELECT id FROM page WHERE state = 'redirected'")]

    def redirects_cut_off(self) -> list[int]:
        """Return the waiting pages whose last visit ended with a redirect, and redirects further along the way."""
        rows = self._connection.execute(
            "WITH RECURSIVE chain (page, target) AS ("
            " SELECT page, redirect_target FROM page JOIN fetch ON fetch.page = page.id"
            " WHERE state = 'waiting' AND outcome = 'redirected'"
            " UNION SELECT fetch.page, redirect_target FROM chain JOIN fetch ON fetch.page = chain.target"
            " WHERE outcome = 'redirected') SELECT page FROM chain"
        )
        return [number for (number,) in rows]

    def _by_number(self, select: str, numbers: Sequence[int]) -> dict[int, Any]:
        found: dict[int, Any] = {}
        for start in range(0, len(numbers), _AT_ONCE):
            some = numbers[start : start + _AT_ONCE]
            marks = ", ".join("?" * len(some))
            found |= dict(self._connection.execute(f"{select} ({marks})", some).fetchall())
        return found

    def counts(self) -> PageCounts:
        """Return the number of pages by state."""
        counts = {True: dict.fromkeys(PAGE_STATES, 0), False: dict.fromkeys(PAGE_STATES, 0)}
        for row in self._rows("SELECT is_local, state, sum(pages) AS pages FROM page_count GROUP BY is_local, state"):
            counts[bool(row["is_local"])][row["state"]] = row["pages"]
        return PageCounts(local=counts[True], outside=counts[False])

    def fetched(self) -> int:
        """Return the number of fetched HTML pages. Reads the whole table of visits."""
        return int(self._value("SELECT count(*) FROM fetch WHERE outcome = 'fetched'"))

    def failures(self) -> list[FailureReport]:
        """Return failures and refusals by kind, the most frequent first, each with an example."""
        rows = self._rows(
            "SELECT outcome, status, count(*) AS pages, count(retry_at) AS retrying, min(page) AS example FROM fetch"
            f" WHERE {FAILED} GROUP BY outcome, status ORDER BY pages DESC, outcome, status"
        )
        return [FailureReport(**{**row, **self._example(row["example"])}) for row in rows]

    def renderings(self) -> list[RenderingReport]:
        """Return the pages that need a browser, by the result of rendering, each with an example."""
        rows = self._rows(
            "SELECT rendering, count(*) AS pages, min(page) AS example FROM fetch WHERE rendering IS NOT NULL"
            " GROUP BY rendering"
        )
        found = {row["rendering"]: RenderingReport(**{**row, **self._example(row["example"])}) for row in rows}
        return [found[rendering] for rendering in RENDERINGS if rendering in found]

    def _example(self, page: int) -> dict[str, str]:
        [row] = self._rows(
            "SELECT url AS example, detail FROM page JOIN fetch ON fetch.page = page.id WHERE page.id = ?", page
        )
        return dict(row)

    def seeds(self) -> list[str]:
        """Return the URLs that define the scope: the seeds and the targets of their redirects.

        Reads the whole table of pages.
        """
        return [row["url"] for row in self._rows("SELECT url FROM page WHERE depth = 0 AND is_local ORDER BY id")]

    def first_seeds(self, limit: int) -> list[str]:
        """Return up to `limit` seeds, from the first pages of the store."""
        rows = self._rows(
            "SELECT url FROM page WHERE id < ? AND depth = 0 AND is_local ORDER BY id LIMIT ?", _EARLY, limit
        )
        return [row["url"] for row in rows]
