"""Two stores for all tests of a process: a site full of orders to language models, with an index, and an ordinary one
without."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from hinterland.crawler.settings import SearchSettings
from hinterland.web.assistants.asked_stores import AskedStores
from tests.support.planted_pages import crawl_planted, index_planted
from tests.support.stores import make_store


@pytest.fixture(scope="session")
def store_files(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    folder = tmp_path_factory.mktemp("assistants")
    quarry, ferries = folder / "quarry.db", folder / "ferries.db"
    asyncio.run(crawl_planted(quarry))
    index_planted(quarry)
    asyncio.run(make_store(ferries))
    return quarry, ferries


@pytest.fixture(scope="session")
def stores(store_files: tuple[Path, Path]) -> AskedStores:
    return AskedStores(store_files, SearchSettings())
