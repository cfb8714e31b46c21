"""What must hold of any site and any mode; each function tells what does not, in words."""

from __future__ import annotations

import json
import sqlite3
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any, Final

from benchmarks.crawl_fuzzer.commands import Ended
from benchmarks.crawl_fuzzer.oracle import Expectation, followed, is_certain_host, may_be_asked, passes_gates
from benchmarks.crawl_fuzzer.server import Seen
from benchmarks.crawl_fuzzer.site import PORT, Gate, Odd, Page, Redirect, Site
from benchmarks.faults.comparison import unsoundness
from tests.support.kept_counts import assert_counts_are_true

_ENDS_WELL: Final = (0, 4, 8, 13, 14)
_PATIENT: Final = 0.002
"""Seconds by which a rest may be short by the server's clock, which is read a little later than the crawl's."""
_MOST_TIMES: Final = 12
_BUG: Final = "internal_error"
"""The outcome of a page that an error of the crawler itself has cost."""


@dataclass(frozen=True, slots=True)
class Finding:
    """A violation of an invariant.

    `subject` is the kind of thing that violates it, so that findings with one cause are grouped. `detail` describes
    this one.
    """

    invariant: str
    subject: str
    detail: str = ""

    @property
    def key(self) -> tuple[str, str]:
        """The invariant and the subject, by which findings are grouped."""
        return self.invariant, self.subject


def of_the_end(ended: Ended, *, may: Collection[int] = _ENDS_WELL) -> Iterator[Finding]:
    """No bug, no traceback, no hang."""
    what = ended.command[0]
    if ended.code is None:
        yield Finding("it ends", what, f"not in {ended.seconds:.0f} s; {_last(ended.err, 12)}")
    elif ended.code not in may and not (ended.was_interrupted and ended.code in (6, 7, -2, -9, -15, 130)):
        yield Finding("exit code", f"{what}: {ended.code}, {_cause(ended)}", _last(ended.err or ended.out, 6))
    elif "Traceback" in ended.err or "Traceback" in ended.out or "Error:" in ended.err:
        yield Finding("no traceback", f"{what}: {_cause(ended)}", _last(ended.err, 8))


def _cause(ended: Ended) -> str:
    """Return the last line of a traceback, or of the output."""
    events = [event for event in _events(ended) if event.get("event") == "error"]
    text = str(events[-1].get("traceback") or events[-1]["message"]) if events else ended.err
    lines = [line.strip(" |+-") for line in text.splitlines()]
    lines = [line for line in lines if line and not line.startswith(("hinterland: this is a bug", "^", "File "))]
    return lines[-1][:160] if lines else ""


def _events(ended: Ended) -> Iterator[dict[str, Any]]:
    """Yield the JSON lines that a crawl wrote; a kill may have cut off the last one."""
    for line in ended.out.splitlines():
        if line.startswith("{"):
            with suppress(ValueError):
                yield dict(json.loads(line))


def _last(text: str, lines: int) -> str:
    return " | ".join(text.strip().splitlines()[-lines:])[-900:]


def end_event(ended: Ended) -> dict[str, Any] | None:
    """Return the last JSON line of a crawl, if it came to its end."""
    return next((event for event in _events(ended) if event.get("event") == "end"), None)


# --- the store ----------------------------------------------------------------------------------


def of_the_store(store: Path) -> Iterator[Finding]:
    """SQLite finds it whole, and what it keeps counted is what a scan counts."""
    if not store.exists():
        yield Finding("the store is there", "missing")
        return
    for each in unsoundness(store):
        yield Finding("the store is sound", each)
    try:
        assert_counts_are_true(store)
    except AssertionError as error:
        yield Finding("counts are true", "kept counts", str(error)[:400])
    for url, detail in rows(store, "SELECT url, detail FROM fetch JOIN page ON page.id = page WHERE outcome = ?", _BUG):
        yield Finding("no internal error", str(detail)[:200], url)
    for state, outcome, count in rows(store, _BARE):
        yield Finding("a state has its visit", f"{state} with outcome {outcome}", f"{count} pages")


_BARE: Final = """
SELECT page.state, fetch.outcome, count(*) FROM page LEFT JOIN fetch ON fetch.page = page.id
WHERE (page.state IN ('fetched', 'redirected', 'failed', 'refused') AND fetch.outcome IS NULL)
   OR (page.state = 'fetched' AND fetch.outcome NOT IN ('fetched', 'other_type'))
   OR (page.state = 'redirected' AND (fetch.outcome <> 'redirected' OR fetch.redirect_target IS NULL))
   OR (page.state = 'known' AND fetch.outcome IS NOT NULL AND page.is_local)
GROUP BY 1, 2
"""


def of_the_counts(
    end: Mapping[str, Any], status: Mapping[str, Any], store: Path, *, visit: int, is_first: bool
) -> Iterator[Finding]:
    """Check that the summary, `status --json` and the tables agree.

    `is_first` says whether the run is the store's only one.
    """
    tables: dict[str, dict[str, int]] = {"local": {}, "outside": {}}
    for is_local, state, count in rows(store, "SELECT is_local, state, count(*) FROM page GROUP BY 1, 2"):
        tables["local" if is_local else "outside"][state] = count
    for name, told in (("summary", (end.get("content") or {}).get("pages")), ("status", status.get("pages"))):
        for side in ("local", "outside"):
            seen = {state: count for state, count in ((told or {}).get(side) or {}).items() if count}
            if seen != tables[side]:
                yield Finding("counts agree", f"{name}, {side}", f"told {seen}, in the tables {tables[side]}")
    run = end["run"]
    fetched = rows(store, "SELECT count(*) FROM fetch WHERE outcome = 'fetched'")[0][0]
    known = rows(store, "SELECT count(*), sum(is_local) FROM page")[0]
    links = rows(store, "SELECT count(*) FROM link")[0][0]
    for name, told, true in (
        ("pages_in_store", run["pages_in_store"], fetched if visit == 0 else None),
        ("pages_known", run["pages_known"], known[0]),
        ("pages_local", run["pages_local"], known[1]),
        ("links", run["links"] if is_first else None, links if is_first else None),
    ):
        if true is not None and told != true:
            yield Finding("counts agree", f"counter {name}", f"told {told}, in the tables {true}")
    if is_first:
        final = Counter(dict(rows(store, "SELECT outcome, count(*) FROM fetch WHERE retry_at IS NULL GROUP BY 1")))
        told = Counter(run["outcomes"])
        if told != final:
            less, more = dict(final - told), dict(told - final)
            yield Finding("counts agree", "counter outcomes", f"the tables have {less} more, {more} less")
    failures = Counter[tuple[str, int | None]]()
    for each in status.get("failures", ()):
        failures[each["outcome"], each["status"]] += each["pages"]
    true_failures = Counter(
        {
            (outcome, code): count
            for outcome, code, count in rows(
                store,
                "SELECT outcome, status, count(*) FROM fetch"
                " WHERE outcome NOT IN ('fetched', 'other_type', 'redirected') GROUP BY 1, 2",
            )
        }
    )
    if failures != true_failures:
        yield Finding("counts agree", "failures of status", f"{failures - true_failures} {true_failures - failures}")


def rows(store: Path, sql: str, *parameters: object) -> list[tuple[Any, ...]]:
    """Return the rows of a query."""
    with closing(sqlite3.connect(f"file:{store}?mode=ro", uri=True, timeout=20)) as connection:
        return connection.execute(sql, parameters).fetchall()


# --- the oracle ---------------------------------------------------------------------------------


def of_the_pages(site: Site, expected: Expectation, store: Path, *, visit: int) -> Iterator[Finding]:
    """Every page that is certain to be found has come to what is certain to come of it."""
    found = {
        url: (state, outcome, detail)
        for url, state, outcome, detail in rows(
            store,
            "SELECT page.url, state, outcome, detail FROM page LEFT JOIN fetch ON fetch.page = page.id WHERE is_local",
        )
    }
    for url, fate in expected.fates.items():
        state, outcome, detail = found.get(url, ("not known", None, ""))
        if outcome in fate:
            continue
        told = f"{'/'.join(sorted(fate))} expected, is {outcome or state}{_coding(site, url, visit, outcome)}"
        if outcome is None and state in ("not known", "known"):
            fetched = {source for source, (_, what, _) in found.items() if what == "fetched"}
            ways = _ways(site, fetched, url, visit)
            if not ways and url not in site.seeds:
                continue  # all that leads there was lost itself
            told = f"{state}, though linked by {ways[0]}" if ways else f"a seed is {state}"
        is_lost = state in ("not known", "known", "waiting")
        yield Finding(
            "nothing is lost" if is_lost else "what came of it", told, f"{url} is {state}, {outcome}: {detail}"
        )


def _coding(site: Site, url: str, visit: int, outcome: str | None) -> str:
    """Return what may explain an outcome."""
    content, trouble = site.resources[url].at(visit).content, site.resources[url].at(visit).trouble
    page = content.page if isinstance(content, Gate) else content
    if isinstance(page, Page) and outcome in ("unknown_encoding", "corrupt"):
        return f": coded {','.join(page.codings)}"
    gated = ": a gate" if isinstance(content, Gate) else ""
    return gated + (f" after {trouble.times} x {trouble.kind}" if trouble is not None else "")


def _dress(site: Site, url: str, visit: int) -> str:
    version = site.resources[url].at(visit)
    content = version.content
    trouble = f" after {version.trouble.times} x {version.trouble.kind}" if version.trouble is not None else ""
    match content:
        case Page() | Gate():
            page = content.page if isinstance(content, Gate) else content
            odd = [
                page.dress if page.dress != "html" else "",
                f"coded {','.join(page.codings)}" if page.codings else "",
                page.framing if page.framing != "length" else "",
                "gated" if isinstance(content, Gate) else "",
            ]
            return "page " + " ".join(filter(None, odd)) + trouble
        case Odd(group, name):
            return f"{group}/{name}"
    return type(content).__name__ + trouble


def _ways(site: Site, sources: Collection[str], url: str, visit: int) -> list[str]:
    """Return the kinds of the links that lead to a URL from these pages, with the markup around them."""
    ways = []
    for source in sources:
        if source in site.resources and isinstance(page := _page_of(site, source, visit), Page):
            ways += [f"{link.kind} on {_dress(site, source, visit)}" for link in followed(page) if link.to == url]
    return sorted(ways)


def _page_of(site: Site, url: str, visit: int) -> object:
    content = site.resources[url].at(visit).content
    return content.page if isinstance(content, Gate) else content


def of_what_waits(site: Site, store: Path, *, visit: int, code: int | None) -> Iterator[Finding]:
    """Nothing waits at a host that answers, unless the end says so."""
    for url, attempt, outcome in rows(
        store,
        "SELECT page.url, attempt, outcome FROM page LEFT JOIN fetch ON fetch.page = page.id WHERE state = 'waiting'",
    ):
        if is_certain_host(site, url, visit) or code == 0:
            told = f"waiting at the end, exit code {code}"
            yield Finding("nothing is lost", told, f"{url}, {outcome}, try {attempt}")
            return


# --- the server's log ---------------------------------------------------------------------------


def of_the_log(site: Site, expected: Expectation, log: Sequence[Seen], *, visit: int, runs: int) -> Iterator[Finding]:
    """No request that nobody may make, none again without a reason, no rest that is too short."""
    times = Counter((each.host, each.target) for each in log)
    for (host, target), count in times.items():
        url = f"http://{host}:{PORT}{target}"
        if not may_be_asked(site, expected, host, target):
            side = getattr(site.hosts.get(host), "side", "unknown")
            why = "robots.txt forbids it" if side == "local" and url not in site.resources else f"host {side}"
            yield Finding("no request out of bounds", why, f"{url} asked for {count} times")
        allowed = _allowed_times(site, url, visit) * runs
        if count > allowed and is_certain_host(site, url, visit) and not target.endswith("robots.txt"):
            yield Finding("no page twice", f"{count} times, {allowed} allowed, {_dress_of(site, url, visit)}", url)
    by_host = defaultdict[str, list[Seen]](list)
    for each in log:
        by_host[each.host].append(each)
    for host, requests in by_host.items():
        rest = max(site.delay, _crawl_delay(site, host, requests[0]))
        for before, after in pairwise(requests):
            begins = before.sent if _is_plain(site, before, visit) else before.started
            delay = rest if before.target != "/robots.txt" else site.delay
            if after.started - begins < delay - _PATIENT:
                yield Finding(
                    "no rest is short",
                    f"after {_dress_of(site, f'http://{host}:{PORT}{before.target}', visit)}",
                    f"{after.started - begins:.3f} s instead of {delay} between {before.target} and {after.target}",
                )
                break


def _crawl_delay(site: Site, host: str, first: Seen) -> float:
    robots = site.hosts[host].robots if host in site.hosts else None
    return robots.crawl_delay if robots is not None and robots.is_clear else 0.0


def _is_plain(site: Site, request: Seen, visit: int) -> bool:
    """Whether its end is the same for server and client."""
    resource = site.resources.get(f"http://{request.host}:{PORT}{request.target}")
    if resource is None:
        return request.target == "/robots.txt" and request.status > 0
    version = resource.at(visit)
    return version.trouble is None and not isinstance(version.content, Odd) and request.status > 0


def _allowed_times(site: Site, url: str, visit: int) -> int:
    """Return how often a URL may be requested.

    That is once, twice for a gate, and again after each problem of the server; a host in trouble is asked again for
    pages that it has answered before. A crawl that passes gates requests a redirect again if another redirect leads to
    it after a cookie has come, because the cookie may have been what was missing. A sitemap to which a page links is
    requested as a page, too, and so is a page to which a sitemap redirects.
    """
    host = url.partition("://")[2].partition("/")[0]
    is_troubled = any(
        (version := each.at(visit)).trouble is not None or isinstance(version.content, Odd)
        for each in site.resources.values()
        if each.url.partition("://")[2].partition("/")[0] == host
    )
    if is_troubled:
        return _MOST_TIMES
    content = site.resources[url].at(visit).content if url in site.resources else None
    is_opened = isinstance(content, Redirect) and passes_gates(site)
    is_sitemap = url.endswith("/sitemap.xml") or url in _requested_as_sitemaps(site, visit)
    return 2 if is_opened or isinstance(content, Gate) or is_sitemap else 1


def _requested_as_sitemaps(site: Site, visit: int) -> set[str]:
    """Return the URLs of sitemaps, and where they redirect."""
    found, waiting = set[str](), [url for url in site.resources if url.endswith("/sitemap.xml")]
    while waiting:
        if (url := waiting.pop()) not in found:
            found.add(url)
            content = site.resources[url].at(visit).content if url in site.resources else None
            waiting += [content.to] if isinstance(content, Redirect) and content.to is not None else []
    return found


def _dress_of(site: Site, url: str, visit: int) -> str:
    return _dress(site, url, visit) if url in site.resources else "robots.txt" if "robots" in url else "no resource"


# --- two stores of the same ---------------------------------------------------------------------

_PAGES: Final = """
SELECT page.url, page.state, outcome, status, hex(body_hash), title, language, redirect.url
FROM page LEFT JOIN fetch ON fetch.page = page.id LEFT JOIN page AS redirect ON redirect.id = fetch.redirect_target
"""
_COLUMNS: Final = ("state", "outcome", "status", "body_hash", "title", "language", "redirect")
_LINKS: Final = "SELECT source, target, kind, nofollow, anchor FROM links"


def of_two_stores(
    name: str, one: Path, other: Path, urls: Collection[str], site: Site, *, only: frozenset[str] = frozenset(_COLUMNS)
) -> Iterator[Finding]:
    """Both say the same of these pages, and of the links on those that both have fetched."""
    pages = [{row[0]: dict(zip(_COLUMNS, row[1:], strict=True)) for row in rows(each, _PAGES)} for each in (one, other)]
    told = set()
    both = set()
    for url in urls:
        if url not in pages[0] and url not in pages[1]:
            continue
        if url not in pages[0] or url not in pages[1]:
            which = "first" if url not in pages[0] else "second"
            yield Finding(name, f"not in the {which}: {_dress_of(site, url, 0)}", url)
            continue
        before, after = pages[0][url], pages[1][url]
        differing = [column for column in _COLUMNS if column in only and before[column] != after[column]]
        if before["outcome"] == after["outcome"] == "fetched" and before["body_hash"] == after["body_hash"]:
            both.add(url)
        if differing:
            changes = ", ".join(f"{column} {before[column]} → {after[column]}" for column in differing)
            key = ", ".join(
                column if column in ("body_hash", "title", "redirect", "language")
                else f"{column} {before[column]} → {after[column]}"
                for column in differing
            )  # fmt: skip
            if key not in told:
                told.add(key)
                yield Finding(name, f"{key} of {_dress_of(site, url, 0)}", f"{url}: {changes}")
    links = [{row for row in rows(each, _LINKS) if row[0] in both and row[2] != "redirect"} for each in (one, other)]
    for missing, which in ((links[0] - links[1], "second"), (links[1] - links[0], "first")):
        if missing:
            example = min(missing)
            yield Finding(
                name, f"links not in the {which}: {example[2]} on {_dress_of(site, example[0], 0)}", str(example)
            )
            return
