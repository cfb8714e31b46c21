"""`python -m hinterland.crawler.parsing.compiled` builds the page reader in C into this Python's environment."""

from __future__ import annotations

import sys

from hinterland.crawler.parsing.compiled.reader_building import ReaderUnusable, build_reader


def main() -> int:
    """Build the library and print its path; return the exit code."""
    try:
        print(build_reader())
    except ReaderUnusable as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
