"""Finds the stores of a crawl in shards before they are joined."""

from __future__ import annotations

from pathlib import Path


def unjoined_shards(store: Path) -> dict[int, Path]:
    """Return the stores of a crawl with --cluster, by shard number; empty once they are joined into `store`."""
    if store.exists():
        return {}
    from hinterland.crawler.cluster.folder import (
        ShardsFolder,
    )  # only now: few stores have shards, and importing it takes time

    folder = ShardsFolder(store)
    return folder.found_stores() if folder.exists else {}
