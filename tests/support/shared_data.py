"""What nobody in this project wrote: conformance cases and web graphs, in the folder `shared` beside the checkout."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from hinterland.analysis.graph import Graph
from hinterland.analysis.stored_graph import load_stored_graph

_BESIDE_THE_CHECKOUT = Path(__file__).resolve().parents[3] / "shared"


def conformance_cases(name: str) -> list[dict[str, Any]]:
    """The rows of conformance/`name`.jsonl; the calling module is skipped where the folder is absent.

    HINTERLAND_SHARED names another folder. Where CI is set the folder must be there.
    """
    folder = shared_folder("conformance")
    with (folder / f"{name}.jsonl").open(encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def web_graph(name: str) -> tuple[Graph, list[str]]:
    """A real graph of data/webgraphs with the URLs of its pages, none if they are unknown. Pages that
    were never fetched are left out: their links are unknown."""
    stored = load_stored_graph(shared_folder("data/webgraphs") / name)
    return stored.graph, list(stored.names or [])


def shared_folder(name: str) -> Path:
    """The calling module is skipped where it is absent."""
    folder = Path(os.environ.get("HINTERLAND_SHARED") or _BESIDE_THE_CHECKOUT) / name
    if not folder.is_dir():
        if os.environ.get("CI"):
            raise FileNotFoundError(folder)
        pytest.skip(f"no {name} beside the checkout", allow_module_level=True)
    return folder
