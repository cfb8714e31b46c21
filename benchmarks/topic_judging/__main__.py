"""How well `topic judge --ask` judges the pages of hosts that are left out, and how often its intervals hold.

    python -m benchmarks.topic_judging STORE [--ask 20] [--draws 3] [--first-draw 0] [--tuned] [--json FILE]

STORE is a crawl of the full farm with texts. Each run takes a topic, a way to make it and a draw. The topic is made
from pages of half of the hosts, those that are about it and the others each halved at random. Then the pages of the
other half are judged with `--ask` answers about some of them, and compared with what is known of the others. Six topics
are left out: nothing was chosen on them. With --tuned, the four topics on which everything was chosen are run instead.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict
from pathlib import Path

import numpy as np

from benchmarks.topic_judging.labelled_pages import LEFT_OUT, TUNED_ON, LabelledPages
from benchmarks.topic_judging.runs import KINDS, Run, Said, run


def main(arguments: Sequence[str] | None = None) -> None:
    """Print a line for each run, and then the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("store", type=Path)
    parser.add_argument("--ask", type=int, default=20, metavar="N", help="how many questions are answered (20)")
    parser.add_argument("--draws", type=int, default=3, metavar="N", help="how many draws of each topic (3)")
    parser.add_argument("--first-draw", type=int, default=0, metavar="N", help="the seed of the first draw (0)")
    parser.add_argument("--tuned", action="store_true", help="run the topics on which everything was chosen")
    parser.add_argument("--json", type=Path, metavar="FILE", help="also write the runs to a file")
    options = parser.parse_args(arguments)
    labelled = LabelledPages.read(options.store)
    print(f"{len(labelled.pages):,} pages of {len(np.unique(labelled.hosts))} hosts", flush=True)
    runs = []
    for draw in range(options.first_draw, options.first_draw + options.draws):
        for topic in TUNED_ON if options.tuned else LEFT_OUT:
            for kind in KINDS:
                if found := run(labelled, topic, kind, draw, options.ask):
                    print(_line(found), flush=True)
                    runs.append(found)
    print("\n".join(tables(runs)))
    if options.json:
        options.json.write_text(json.dumps([asdict(each) for each in runs], indent=1))


def tables(runs: Sequence[Run]) -> Iterator[str]:
    """Yield the lines of the results as a Markdown table: by the ways to make a topic, by topic, and over all runs."""
    yield "| | runs | F1 | best | gap | precision: said, true | within | width | recall: said, true | within | width |"
    yield "| --- | --: | --: | --: | --: | --: | --: | --: | --: | --: | --: |"
    for kind in dict.fromkeys(each.kind for each in runs):
        yield _row(kind, [each for each in runs if each.kind == kind])
    for topic in dict.fromkeys(each.topic for each in runs):
        yield _row(topic, [each for each in runs if each.topic == topic])
    yield _row("all", runs)


def _row(name: str, runs: Sequence[Run]) -> str:
    f1, best = _mean(runs, lambda each: each.f1), _mean(runs, lambda each: each.best)
    cells = [name, str(len(runs)), f"{f1:.3f}", f"{best:.3f}", f"{best - f1:.3f}"]
    measures: tuple[Callable[[Run], Said], ...] = (lambda each: each.precision, lambda each: each.recall)
    for of in measures:
        measured = [of(each) for each in runs]
        cells.append(
            f"{np.mean([each.said for each in measured]):.2f}, {np.mean([each.true for each in measured]):.2f}"
        )
        cells.append(f"{sum(each.holds for each in measured)} of {len(measured)}")
        cells.append(f"{np.mean([each.high - each.low for each in measured]):.2f}")
    return f"| {' | '.join(cells)} |"


def _mean(runs: Sequence[Run], of: Callable[[Run], float]) -> float:
    return float(np.mean([of(each) for each in runs]))


def _line(found: Run) -> str:
    told = ", ".join(
        f"{name} {each.true:.0%} ({each.said:.0%}, {each.low:.0%} to {each.high:.0%})"
        for name, each in (("precision", found.precision), ("recall", found.recall))
    )
    return (
        f"{found.draw} {found.topic}, {found.kind}: share {found.share:.3f}, {found.yes} yes, F1 {found.f1:.2f} of"
        f" {found.best:.2f}, {told}"
    )


if __name__ == "__main__":
    main()
