"""`crawl` with short waits before failed pages: `python -m benchmarks.hostile.crawler crawl ...`.

Those waits are no settings. Nothing else is changed.
"""

from __future__ import annotations

import dataclasses
import sys
from typing import Final

from hinterland.cli.commands import parsed
from hinterland.cli.crawl.command import planned
from hinterland.cli.crawl.showing import display_of
from hinterland.crawler.fetching.retry_rules import RETRY_RULES, RetryRules
from hinterland.library.crawls import crawl_run

SHORTER: Final = 20.0
"""The factor by which the waits of RETRY_RULES are shortened."""


def main() -> int:
    """Run the crawl and return its exit code."""
    arguments = parsed(sys.argv[1:])
    listed = RETRY_RULES.listed.items()
    sooner = {kind: dataclasses.replace(rule, wait_seconds=rule.wait_seconds / SHORTER) for kind, rule in listed}
    plan = dataclasses.replace(planned(arguments), retry_rules=RetryRules(sooner))
    with display_of(plan, log_json=arguments.log_json) as display:
        ending = crawl_run.run(plan, display)
        display.ended(ending)
    return ending.reason.exit_code


if __name__ == "__main__":
    sys.exit(main())
