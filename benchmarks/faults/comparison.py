"""What a disturbed piece of work lacks, or has otherwise, beside the same work undisturbed."""

from __future__ import annotations

import hashlib
import sqlite3
from collections import Counter
from collections.abc import Hashable, Iterator, Mapping, Sequence
from contextlib import closing, suppress
from pathlib import Path
from typing import Any, Final

from warcio.archiveiterator import ArchiveIterator

from hinterland.search.answers import MOST_HITS
from hinterland.search.index.index_folder import default_folder
from hinterland.search.index.searcher import SearchIndex
from hinterland.storage.reading.opening import reading
from hinterland.storage.values.versions import VersionLost
from hinterland.storage.warc.cdxj import INDEX_NAME

_EXAMPLES: Final = 3
_PAGES: Final = (
    "SELECT page.url, page.state, page.is_local, fetch.outcome, fetch.status, fetch.body_hash, fetch.title,"
    " redirect.url FROM page LEFT JOIN fetch ON fetch.page = page.id"
    " LEFT JOIN page AS redirect ON redirect.id = fetch.redirect_target"
)
_LINKS: Final = "SELECT source, target, kind, nofollow, anchor FROM links"
_HAS_TEXT: Final = "SELECT page.url, length(content.text) > 0 FROM content JOIN page ON page.id = content.page"
_RANKS: Final = "SELECT estimator, page.url, pagerank FROM rank JOIN page ON page.id = rank.page"
_LARGEST_DISTANCE: Final = 0.005
"""L1. The model of the pages outside depends a little on the order in which pages were found: two undisturbed crawls
were 0.00004 apart, killed ones up to 0.0005."""
_QUERIES: Final = ("harbour gale", "word17", '"link 3"', "page 12", "fathom -word3")


def compare_stores(calm: Path, disturbed: Path, *, but: str = "") -> list[str]:
    """Pages (state, outcome, status, content, redirect), links and texts by URL; soundness of the file.

    but: leave out pages with that in their URLs, links to them, and what depends on those links being there.
    """
    if not disturbed.exists():
        return ["there is no store"]
    if found := unsoundness(disturbed):
        return found
    pages = _PAGES.replace("fetch.body_hash, ", "") if but else _PAGES
    for what, sql in (("page", pages), ("link", _LINKS), ("text", _HAS_TEXT)):
        calmly, disturbedly = (
            {key: rest for key, rest in _keyed(store, sql, what == "link").items() if not but or but not in str(key)}
            for store in (calm, disturbed)
        )
        found += _differences(what, calmly, disturbedly)
    return found


def unsoundness(store: Path) -> list[str]:
    """Return what SQLite finds wrong with a file."""
    try:
        checks = [str(check) for (check,) in _rows(store, "PRAGMA integrity_check")]
        dangling = _rows(store, "PRAGMA foreign_key_check")
    except sqlite3.Error as error:
        return [f"the store cannot be read: {error}"]
    found = [] if checks == ["ok"] else [f"the store is damaged: {checks[0]}"]
    return found + ([f"{len(dangling)} references lead nowhere"] if dangling else [])


def visited(store: Path) -> int:
    """Pages of which the outcome of a visit is in a store; 0 if there is none that can be read yet."""
    try:
        return int(_rows(store, "SELECT count(*) FROM fetch")[0][0])
    except sqlite3.Error:
        return 0


def waiting(store: Path) -> int:
    """Pages that wait in a store; 0 if there is none that can be read."""
    try:
        return int(_rows(store, "SELECT count(*) FROM page WHERE state = 'waiting'")[0][0])
    except sqlite3.Error:
        return 0


def compare_ranks(calm: Path, disturbed: Path) -> list[str]:
    """Compare the last estimates of global PageRank by their L1 distance, for each estimator."""
    ranks = [{(name, url): rank for name, url, rank in _rows(store, _RANKS)} for store in (calm, disturbed)]
    distances = Counter[str]()
    for key in ranks[0].keys() | ranks[1].keys():
        distances[key[0]] += abs(ranks[0].get(key, 0.0) - ranks[1].get(key, 0.0))
    return [
        f"the ranks of {name} are {distance:.2g} apart"
        for name, distance in distances.items()
        if distance > _LARGEST_DISTANCE
    ]


def compare_history(calm: Path, disturbed: Path) -> list[str]:
    """Compare what revisits have found: each change once, with the text before."""
    changes = [Counter(_changes(store)) for store in (calm, disturbed)]
    found = _missing("change", set((changes[0] - changes[1]).elements()))
    more = changes[1] - changes[0]
    return found + ([f"{more.total()} changes too many, e.g. {_examples(set(more))}"] if more else [])


def _changes(store: Path) -> Iterator[tuple[str, str, str]]:
    """(URL, kind, hash of the text before, "" where there is none to be had)."""
    with reading(store) as stored:
        for change in stored.history.changes(0):
            before = ""
            with suppress(VersionLost):
                before = hashlib.sha256(stored.history.text_before(change.page).encode()).hexdigest()[:8]
            yield change.url, change.kind, before


def compare_archive(calm: Path, disturbed: Path, store: Path) -> list[str]:
    """Whether an archive has every response of the other one, has each page of its store, and is whole."""
    expected, kept = _responses(calm), _responses(disturbed)
    found = [f"{path.name} was left open" for path in disturbed.glob("*.open")]
    found += _missing("response", set(expected) - set(kept))
    fetched = {url for (url,) in _rows(store, "SELECT url FROM pages WHERE outcome = 'fetched'")}
    found += _missing("fetched page", fetched - {url for url, _ in kept})
    index = disturbed / INDEX_NAME
    lines = index.read_text(encoding="utf-8").splitlines() if index.exists() else []
    indexed = {line.split('"url": "')[1].split('"')[0] for line in lines}
    return found + _missing("indexed capture", {url for url, _ in kept} - indexed)


def compare_index(calm: Path, disturbed: Path) -> list[str]:
    """Documents by URL, with all that is shown of them; and hits with their scores for some queries."""
    documents = [_documents(store) for store in (calm, disturbed)]
    found = _differences("document", documents[0], documents[1])
    hits = [_hits(store) for store in (calm, disturbed)]
    return found + _differences("hit", hits[0], hits[1])


def _documents(store: Path) -> dict[Hashable, tuple[object, ...]]:
    path = default_folder(store).documents
    if not path.exists():
        return {}
    rows = _rows(path, "SELECT url, host, title, description, copies, fetched_at FROM document")
    return {url: tuple(rest) for url, *rest in rows}


def _hits(store: Path) -> dict[Hashable, tuple[object, ...]]:
    folder = default_folder(store)
    if not folder.manifest.exists():
        return {}
    index = SearchIndex.open(folder.path)
    return {
        (query, hit.url): (round(hit.score, 3),)
        for query in _QUERIES
        for hit in index.search(query, limit=MOST_HITS).hits
    }


def _responses(archive: Path) -> Counter[tuple[str, str]]:
    """(URL, status) of every response; their digests are checked."""
    found = Counter[tuple[str, str]]()
    for path in sorted(archive.glob("*.warc.gz")):
        with path.open("rb") as file:
            for record in ArchiveIterator(file, check_digests="raise"):
                record.raw_stream.read()
                if record.rec_type == "response":
                    status = record.http_headers.get_statuscode()
                    found[record.rec_headers.get_header("WARC-Target-URI"), status] += 1
    return found


def _keyed(store: Path, sql: str, by_row: bool) -> dict[Hashable, tuple[object, ...]]:
    """Rows by their first column, or by all of them."""
    rows = _rows(store, sql)
    return dict.fromkeys(rows, ()) if by_row else {key: tuple(rest) for key, *rest in rows}


def _differences(
    what: str, calm: Mapping[Hashable, Sequence[object]], disturbed: Mapping[Hashable, Sequence[object]]
) -> list[str]:
    """Return in words how many keys are missing, superfluous, or have another value."""
    found = _missing(what, calm.keys() - disturbed.keys())
    more = disturbed.keys() - calm.keys()
    if more:
        found.append(f"{len(more)} {what}s too many, e.g. {_examples(more)}")
    changes = Counter[str]()
    for key in calm.keys() & disturbed.keys():
        if calm[key] != disturbed[key]:
            pairs = zip(calm[key], disturbed[key], strict=True)
            changes[", ".join(f"{before} → {after}" for before, after in pairs if before != after)] += 1
    if changes:
        kinds = "; ".join(f"{count}: {change}" for change, count in changes.most_common(_EXAMPLES))
        found.append(f"{changes.total()} {what}s differ ({kinds})")
    return found


def _missing(what: str, keys: set[Any]) -> list[str]:
    return [f"{len(keys)} {what}s missing, e.g. {_examples(keys)}"] if keys else []


def _examples(keys: set[Any]) -> str:
    return ", ".join(str(key) for key in sorted(keys, key=str)[:_EXAMPLES])


def _rows(store: Path, sql: str) -> list[tuple[Any, ...]]:
    with closing(sqlite3.connect(f"file:{store}?mode=ro", uri=True, timeout=20)) as connection:
        return connection.execute(sql).fetchall()
