"""`python3 -m tests [--fast | --thorough] [options of pytest]` sets up .venv if need be and runs the tests in parallel.

--fast: without those marked slow, in less than two minutes on two processors: all that is pure, and a few whole crawls.
--thorough: also those marked thorough, with more rounds and examples, as CI does every night.
"""

from __future__ import annotations

import os
import sys
from typing import Final

from hinterland.distribution.environment import DEVELOP, ROOT, ensure_environment
from tests.support.levels import NAME


def main(arguments: list[str]) -> int:
    """The exit code of pytest: 0 if everything passed."""
    ensure_environment(DEVELOP)
    import pytest

    from hinterland.distribution.installation import compute_on_one_thread

    compute_on_one_thread()  # as commands do

    os.chdir(ROOT)
    workers = _processors() + (0 if FAST in arguments else _MORE_WORKERS)
    if THOROUGH in arguments:
        os.environ[NAME] = "1"
        chosen = []
    else:
        chosen = ["-m", "not slow" if FAST in arguments else "not thorough"]
    others = [each for each in arguments if each not in (FAST, THOROUGH)]
    return int(pytest.main(["-n", str(workers), "--dist", "worksteal", *chosen, *others]))


FAST: Final = "--fast"
THOROUGH: Final = "--thorough"
_MORE_WORKERS: Final = 2
"""Than there are processors: a third of their time slow tests wait, for servers, rests and kills, and with one more a
fifth of two processors was idle. Fast tests hardly wait, and to collect them takes each worker seconds."""


def _processors() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
