"""The command `hinterland`, also as `python -m hinterland`."""

from __future__ import annotations

import sys

from hinterland.distribution.installation import compute_on_one_thread


def main() -> int:
    """Run the command, and return the exit code."""
    compute_on_one_thread()
    try:
        from hinterland.cli import main

        return main(sys.argv[1:])
    except KeyboardInterrupt:  # while packages are being imported
        return 130


if __name__ == "__main__":
    sys.exit(main())
