"""No store is opened by an aiosqlite that lacks the private parts we rely on."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import aiosqlite
import pytest

from hinterland.errors import MissingPackage
from hinterland.storage.link_store import LinkStore


@pytest.mark.parametrize("part", ["_execute", "_conn"])
async def test_a_part_that_is_gone_keeps_a_store_from_being_opened(
    part: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patched:
        patched.delattr(aiosqlite.Connection, part)
        with pytest.raises(MissingPackage, match=rf"aiosqlite .* lacks Connection\.{part}.*to get a version that has"):
            async with LinkStore(tmp_path / "s.db"):
                pass
    async with LinkStore(tmp_path / "s.db"):
        pass  # nothing holds it, and nothing is broken


async def test_a_thread_that_is_gone_keeps_a_store_from_being_opened(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    begin = aiosqlite.Connection.__init__

    def begin_without(self: Any, *arguments: Any, **options: Any) -> None:
        begin(self, *arguments, **options)
        del self._thread

    monkeypatch.setattr(aiosqlite.Connection, "__init__", begin_without)
    with pytest.raises(MissingPackage, match=r"lacks Connection\._thread"):
        async with LinkStore(tmp_path / "s.db"):
            pass
