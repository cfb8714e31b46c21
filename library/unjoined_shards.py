"""Which stores a command looks at while the parts of a crawl are not joined."""

from __future__ import annotations

from pathlib import Path


def unjoined_shards(store: Path) -> dict[int, Path]:
    """The stores of a crawl with --cluster, by their numbers, as long as that store is not made of them; else none."""
    if store.exists():
        return {}
    from hinterland.crawler.cluster.folder import ShardsFolder  # only now: few stores have parts, and it takes its time

    folder = ShardsFolder(store)
    return folder.found_stores() if folder.exists else {}
