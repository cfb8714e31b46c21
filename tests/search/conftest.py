"""Pages are read in the test's own process, except where a test is about the other processes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import pytest

from hinterland.search.index import digesting
from hinterland.search.index.extraction import Batch
from hinterland.search.main_content import digest
from hinterland.search.store.values.documents import Digest


@pytest.fixture(autouse=True)
def _digests_of_this_process(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(digesting, "digests", digests_here)


def digests_here(batches: Iterable[Batch], *, processes: int) -> Iterator[list[Digest]]:
    for pages, profiles in batches:
        assert processes > 0
        yield [digest(page, profiles[page.host]) for page in pages]
