"""What nobody in this project wrote: conformance cases and web graphs, in the folder `shared` beside the checkout."""

from __future__ import annotations

import gzip
import json
import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from analysis.graph import Graph

_BESIDE_THE_CHECKOUT = Path(__file__).resolve().parent.parent.parent / "shared"


def conformance_cases(name: str) -> list[dict[str, Any]]:
    """The rows of conformance/`name`.jsonl; the calling module is skipped where the folder is absent.

    HINTERLAND_SHARED names another folder. Where CI is set the folder must be there.
    """
    folder = _folder("conformance")
    with (folder / f"{name}.jsonl").open(encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def web_graph(name: str) -> tuple[Graph, list[str]]:
    """A real graph of data/webgraphs with the URLs of its pages, none if they are unknown. Pages that
    were never fetched are left out: their links are unknown."""
    folder = _folder("data/webgraphs") / name
    with np.load(folder / "graph.npz") as arrays:
        sources, targets, count = arrays["src"], arrays["dst"], int(arrays["n"])
        if "n_crawled" in arrays:
            count = int(arrays["n_crawled"])
            is_crawled = targets < count
            sources, targets = sources[is_crawled], targets[is_crawled]
    urls = folder / "urls.txt.gz"
    names = gzip.decompress(urls.read_bytes()).decode().split("\n")[:count] if urls.exists() else []
    return Graph.from_links(sources, targets, count), names


def _folder(name: str) -> Path:
    folder = Path(os.environ.get("HINTERLAND_SHARED") or _BESIDE_THE_CHECKOUT) / name
    if not folder.is_dir():
        if os.environ.get("CI"):
            raise FileNotFoundError(folder)
        pytest.skip(f"no {name} beside the checkout", allow_module_level=True)
    return folder
