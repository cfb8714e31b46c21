"""A build that kills itself: `python -m tests.support.index_process STORE FOLDER WHAT TIMES`.

It ends as by kill -9 when its progress names WHAT for the TIMES-th time. Batches are small, so that there are many.
"""

from __future__ import annotations

import os
import signal
import sys
from collections import Counter
from pathlib import Path
from unittest.mock import patch

from hinterland.search.index import building, digesting
from hinterland.search.index.index_folder import IndexFolder


def main(store: str, folder: str, what: str, times: int) -> None:
    seen = Counter[str]()

    def progress(now: str, _done: int, _of: int) -> None:
        seen[now] += 1
        if seen[what] == times:
            os.kill(os.getpid(), signal.SIGKILL)

    small = patch.object(building, "_BATCH", 4), patch.object(building, "_COMMIT", 8)
    with small[0], small[1], patch.object(digesting, "_BATCH", 8):
        building.build(Path(store), IndexFolder(Path(folder)), progress=progress)


if __name__ == "__main__":
    _, *texts, number = sys.argv
    main(texts[0], texts[1], texts[2], int(number))
