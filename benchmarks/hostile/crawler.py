"""The crawler's command line with short waits before failed pages: `python -m benchmarks.hostile.crawler ...`.

Those waits are no settings. Nothing else is changed.
"""

from __future__ import annotations

import dataclasses
import sys
from typing import Final

from crawler.apps.cli import main
from crawler.fetching.outcomes import RETRY_RULES

SHORTER: Final = 20.0
"""So much shorter are the waits of outcomes.RETRY_RULES."""

if __name__ == "__main__":
    for kind, rule in RETRY_RULES.items():
        RETRY_RULES[kind] = dataclasses.replace(rule, wait_seconds=rule.wait_seconds / SHORTER)
    sys.exit(main(sys.argv[1:]))
