"""Conformance cases that nobody in this project wrote, read from the folder `shared` beside the checkout."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

_BESIDE_THE_CHECKOUT = Path(__file__).resolve().parent.parent.parent / "shared"


def conformance_cases(name: str) -> list[dict[str, Any]]:
    """The rows of conformance/`name`.jsonl; the calling module is skipped where the folder is absent.

    HINTERLAND_SHARED names another folder. Where CI is set the folder must be there.
    """
    with (shared_folder("conformance") / f"{name}.jsonl").open(encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def shared_folder(name: str) -> Path:
    """The calling module is skipped where it is absent."""
    folder = Path(os.environ.get("HINTERLAND_SHARED") or _BESIDE_THE_CHECKOUT) / name
    if not folder.is_dir():
        if os.environ.get("CI"):
            raise FileNotFoundError(folder)
        pytest.skip(f"no {name} beside the checkout", allow_module_level=True)
    return folder
