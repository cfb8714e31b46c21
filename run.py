#!/usr/bin/env python3
"""Hinterland: `python3 run.py` says what it can do. The first command sets up .venv by itself."""

import sys

from hinterland.distribution.environment import ensure_environment, requirements_of

if __name__ == "__main__":
    ensure_environment(requirements_of(sys.argv[1:]))
    try:
        from hinterland.distribution.installation import compute_on_one_thread

        compute_on_one_thread()
        from hinterland.cli import main

        sys.exit(main(sys.argv[1:]))
    except KeyboardInterrupt:  # while the packages are being read
        sys.exit(130)
