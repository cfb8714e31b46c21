"""Exports the content of a store in the formats of other programs: one module and one line in FORMATS for each."""

from __future__ import annotations

from hinterland.storage.exports import (
    csv,
    dataset,
    edges,
    graphml,
    jsonl,
    opensearch,
    parquet,
    resources,
    sitemap,
    wacz,
)
from hinterland.storage.exports.format import Format

FORMATS: dict[str, Format] = {
    "jsonl": jsonl.FORMAT,
    "csv": csv.FORMAT,
    "parquet": parquet.FORMAT,
    "dataset": dataset.FORMAT,
    "opensearch": opensearch.FORMAT,
    "graphml": graphml.FORMAT,
    "edges": edges.FORMAT,
    "sitemap": sitemap.FORMAT,
    "warc": resources.FORMAT,
    "wacz": wacz.FORMAT,
}
