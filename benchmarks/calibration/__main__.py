"""Learns how far an estimate is from the truth from crawls of stored graphs, and says how that does on webs left out.

    python -m benchmarks.calibration crawl GRAPHS --file CRAWLS [--policies return-flow,bfs] [--budgets 2] [--seed 30]
    python -m benchmarks.calibration fit CRAWLS... [--together PATTERN ...] [--tested PATTERN ...] [--write]

`crawl` adds the crawls that are not yet in the file, one line of JSON each. `fit` prints, for each graph, how the
constants that were learnt from all others do on it. Graphs whose names match one pattern of `--together` come from one
source: they are left out together, and weigh as one. From those of `--tested` nothing is learnt. `--write` renews
`analysis/estimates/error_constants.py`.
"""

from __future__ import annotations

import argparse
from fnmatch import fnmatchcase
from pathlib import Path

from benchmarks.calibration.crawls import countable, crawled, read
from benchmarks.calibration.fitting import fitted, moments
from benchmarks.calibration.report import told
from benchmarks.calibration.written import FILE, module_of


def main() -> None:
    """Run a part of the calibration."""
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parts = arguments.add_subparsers(dest="part", required=True)
    crawl = parts.add_parser("crawl")
    crawl.add_argument("graphs", nargs="+")
    crawl.add_argument("--file", type=Path, required=True)
    crawl.add_argument("--policies", default="return-flow,bfs")
    crawl.add_argument("--budgets", default="2")
    crawl.add_argument("--seed", type=int, default=30)
    fit = parts.add_parser("fit")
    fit.add_argument("files", nargs="+", type=Path)
    fit.add_argument("--together", action="append", default=[])
    fit.add_argument("--tested", action="append", default=[])
    fit.add_argument("--write", action="store_true")
    options = arguments.parse_args()
    if options.part == "crawl":
        budgets = [float(budget) for budget in options.budgets.split(",")]
        kinds = [(policy, budget) for policy in options.policies.split(",") for budget in budgets]
        for line in crawled(options.graphs, kinds, options.seed, options.file):
            print(line, flush=True)
        return

    def group_of(graph: str) -> str:
        return next((pattern for pattern in options.together if fnmatchcase(graph, pattern)), graph)

    found = countable([one for file in options.files for one in read(file)])
    tested = [one for one in found if any(fnmatchcase(one.graph, pattern) for pattern in options.tested)]
    crawls = [one for one in found if one not in tested]
    print("\n".join(told(crawls, group_of, tested)))
    learnt_from = moments(crawls, group_of)
    module = module_of(fitted(learnt_from), learnt_from)
    print(f"\n{module}")
    if options.write:
        FILE.write_text(module, encoding="utf-8")


if __name__ == "__main__":
    main()
