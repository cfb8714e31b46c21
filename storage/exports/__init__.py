"""Exports what a store holds in the formats of other programs: one module here for each, and one line in FORMATS."""

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
