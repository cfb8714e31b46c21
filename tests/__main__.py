"""`python3 -m tests [options of pytest]` sets up .venv if need be and runs the tests in parallel."""

from __future__ import annotations

import os
import sys

from hinterland.distribution.environment import DEVELOP, ROOT, ensure_environment


def main(arguments: list[str]) -> int:
    """The exit code of pytest: 0 if everything passed."""
    ensure_environment(DEVELOP)
    import pytest

    from hinterland.distribution.installation import compute_on_one_thread

    compute_on_one_thread()  # as commands do

    os.chdir(ROOT)
    return int(pytest.main(["-n", str(_workers()), "--dist", "worksteal", *arguments]))


def _workers() -> int:
    """Two more than there are processors: a third of their time tests wait, for servers, rests and kills, and with one
    more a fifth of two processors was idle."""
    return 2 + (len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
