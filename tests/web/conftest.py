"""One store for all tests of a process that only read it, and one that is full of hostile text."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
import uvloop

from tests.support.browsing import WITHOUT_WINDOWS, BrowserLoop
from tests.support.stores import make_hostile, make_store


@pytest.fixture(scope="session")
def crawled_store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("serving") / "store.db"
    uvloop.run(make_store(path))
    return path


@pytest.fixture(scope="session")
def hostile_store(crawled_store: Path) -> Path:
    path = crawled_store.with_name("hostile.db")
    shutil.copy(crawled_store, path)
    make_hostile(path)
    return path


@pytest.fixture(scope="session")
def browser_loop() -> Iterator[BrowserLoop]:
    if WITHOUT_WINDOWS is None:
        pytest.skip("there is no Chromium on this machine")
    loop = BrowserLoop()
    yield loop
    loop.close()
