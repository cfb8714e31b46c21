"""A builder whose pages take for ever: `python -m tests.support.extraction_process`. Each says its number when read."""

from __future__ import annotations

from hinterland.search.index.extraction import digests
from hinterland.search.store.values.documents import RawContent
from tests.support.digesters import endless

PROCESSES = 2


def main() -> None:
    pages = [RawContent(page, 0, 0, "http://a.test/", None, "", None, None) for page in range(PROCESSES)]
    next(digests((([page], {}) for page in pages), digester=endless, processes=PROCESSES))


if __name__ == "__main__":
    main()
