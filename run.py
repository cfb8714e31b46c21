#!/usr/bin/env python3
"""Hinterland: `python3 run.py` shows what it can do.

The first command sets up .venv by itself, with what a crawl needs; a command that needs more adds it.
`python3 run.py setup --all` installs everything at once.
"""

import sys

from hinterland.distribution.environment import ensure_environment

if __name__ == "__main__":
    ensure_environment()
    try:
        from hinterland.distribution.installation import compute_on_one_thread

        compute_on_one_thread()
        from hinterland.cli import main

        sys.exit(main(sys.argv[1:]))
    except KeyboardInterrupt:  # while packages are being imported
        sys.exit(130)
