"""The manifest of an exported corpus: for each host, how many pages, when fetched, and what use it allows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from math import inf
from typing import Any

from hinterland.crawler.assembly.stored_features import StoredFeatures
from hinterland.storage.reading.reader import StoreReader
from hinterland.storage.values.uses import RefusedPages, Use


@dataclass(frozen=True, slots=True)
class HostInCorpus:
    """The pages of one host in a corpus.

    The times are those of the first and the last fetch, in ISO 8601. `statements` are the host's statements about the
    use of its pages, as written.
    """

    host: str
    pages: int
    left_out: int
    first_fetched: str
    last_fetched: str
    statements: Sequence[str]


def corpus_manifest(
    store: StoreReader,
    features: StoredFeatures,
    uses: Sequence[Use],
    refused: RefusedPages,
    *,
    local_only: bool,
    now: float,
) -> dict[str, Any]:
    """Return the manifest of an export as JSON. The export has all fetched pages except the refused ones.

    `now` is in epoch seconds.
    """
    hosts = list(_hosts(store, features, refused, local_only=local_only))
    return {
        "store": store.path.name,
        "exported_at": _utc(now),
        "uses": [use.value for use in uses],
        "pages": sum(each.pages for each in hosts),
        "left_out": sum(each.left_out for each in hosts),
        "left_out_by_statement": dict(refused.reasons.most_common()),
        "hosts": [asdict(each) for each in hosts],
    }


def _hosts(
    store: StoreReader, features: StoredFeatures, refused: RefusedPages, *, local_only: bool
) -> Sequence[HostInCorpus]:
    rows = store.connection.execute(
        "SELECT host.id, host.url, page.id, fetch.started_at FROM fetch JOIN page ON page.id = fetch.page"
        " JOIN host ON host.id = page.host WHERE fetch.outcome = 'fetched' AND page.is_local >= ?",
        (int(local_only),),
    )
    seen: dict[int, _Seen] = {}
    for host, url, page, at in rows:
        of_host = seen.setdefault(host, _Seen(url))
        if page in refused.pages:
            of_host.left_out += 1
        else:
            of_host.pages += 1
            of_host.first, of_host.last = min(of_host.first, at), max(of_host.last, at)
    return [
        HostInCorpus(
            host=of_host.url,
            pages=of_host.pages,
            left_out=of_host.left_out,
            first_fetched=_utc(of_host.first) if of_host.pages else "",
            last_fetched=_utc(of_host.last) if of_host.pages else "",
            statements=features.about_host(host),
        )
        for host, of_host in sorted(seen.items())
    ]


@dataclass(slots=True)
class _Seen:
    """Counts of one host. `first` and `last` are the times of its first and last fetch in epoch seconds."""

    url: str
    pages: int = 0
    left_out: int = 0
    first: float = inf
    last: float = 0.0


def _utc(epoch_seconds: float) -> str:
    return datetime.fromtimestamp(epoch_seconds, UTC).isoformat(timespec="seconds")
