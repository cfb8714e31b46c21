"""The text and the JSON about a sample: its pages, and how close to uniform their distribution is."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict
from math import isfinite
from typing import Any

import numpy as np

from hinterland.lab.commands.sample.sampled import Sampled, SampledGraph, SampledWeb
from hinterland.lab.walks.diagnostics import size_by_weights
from hinterland.lab.walks.mixing import MOST_PAGES_FOR_BOUND
from hinterland.lab.walks.sampling import PageSample
from hinterland.library.text.wording import counted, number, printable, table


def weighted_pages(sample: PageSample, *, weighted: bool) -> Iterator[tuple[int, float]]:
    """Yield pages with weights that sum to 1.

    They are the accepted pages, weighted by frequency, or all visited pages with `weighted`.
    """
    if weighted:
        yield from zip(sample.visited.tolist(), sample.weights.tolist(), strict=True)
    elif len(sample.pages):
        pages, counts = np.unique(sample.pages, return_counts=True)
        yield from zip(pages.tolist(), (counts / len(sample.pages)).tolist(), strict=True)


def sample_lines(sampled: Sampled, *, weighted: bool) -> Iterator[str]:
    """Yield lines of a weight and a name, separated by a tab."""
    for page, weight in weighted_pages(sampled.sample, weighted=weighted):
        yield f"{weight:.6g}\t{printable(sampled.name(page))}"


def report_lines(sampled: Sampled) -> Iterator[str]:
    """Yield lines that say how the sample was drawn, how many independent pages it is worth, and how uniform it is."""
    sample = sampled.sample
    distinct = len(np.unique(sample.pages))
    within = f" of {number(len(sampled.population))} pages within reach" if isinstance(sampled, SampledGraph) else ""
    visits = f"{number(int(sample.visits.sum()))} to {number(len(sample.visited))}{within or ' pages'}"
    chosen = f"{number(len(sample.pages))} of " if len(sample.pages) < len(sample.accepted) else ""
    accepted = f"{chosen}{counted(len(sample.accepted), 'visit')} accepted, to {counted(distinct, 'page')}"
    yield f"{sampled.method}: {accepted}, of {visits}"
    yield (
        f"worth {counted(round(sampled.effective_size), 'independent page')}; all visits by their weights (--weighted),"
        f" {number(round(size_by_weights(sample.weights)))}"
    )
    if isinstance(sampled, SampledWeb) and sampled.retried + sampled.lost:
        lost = f"{number(sampled.lost)} could not be fetched, and counted as pages without links"
        yield f"{counted(sampled.retried, 'page')} failed and were retried; {lost}"
    if not len(sample.pages):
        yield "no visit was accepted; try more --steps"
        return
    if isinstance(sampled, SampledGraph):
        yield from _diagnostics(sampled)


def _diagnostics(sampled: SampledGraph) -> Iterator[str]:
    if 2 * len(sampled.sample.visited) < len(sampled.population):
        yield "the walk reached less than half of them: walk farther (--steps), or leave dead ends out (--core)"
    for name, buckets in sampled.buckets.items():
        test = sampled.test(name)
        told = f"χ² {test.statistic:.1f}, {test.freedom} degrees of freedom, p {test.p_value:.2f}"
        yield ""
        yield f"accepted by {name} ({told if test.freedom else 'too few for a test'})"
        rows = [["from", "to", "sample", "pages", "ratio"]]
        for each in buckets:
            shares = f"{each.sampled:.4f}", f"{each.true:.4f}"
            rows.append([number(each.low), number(each.high), *shares, f"{each.ratio:.3f}"])
        yield from table(rows, right=range(5))
    yield from _mixing_lines(sampled)


def _mixing_lines(sampled: SampledGraph) -> Iterator[str]:
    measured, bound = sampled.eigenvalues, sampled.bound
    if measured is None:
        return
    about = "" if measured.is_settled else " at least"
    yield ""
    yield (
        f"second eigenvalue{about} {measured.second:.6f}, least {measured.least:.4f}: the influence of the start falls"
        f" to 1 % in{about} {number(round(measured.steps(0.01)))} steps"
    )
    if bound is None:
        yield f"the paper's bound is computed for up to {number(MOST_PAGES_FOR_BOUND)} pages"
    else:
        yield (
            f"the paper's bound: second at most 1 - {1 - bound.second:.2g}, least at least {bound.least:.4f}"
            f" (degree {number(bound.degree)}, diameter {number(bound.diameter)},"
            f" bottleneck {number(bound.bottleneck)})"
        )


def as_json(sampled: Sampled) -> str:
    """Return everything about a sample as one JSON object; numbers that are not finite become null."""
    sample = sampled.sample
    content: dict[str, Any] = {
        "method": sampled.method,
        "seed": sampled.seed,
        **asdict(sampled.plan),
        "visits": int(sample.visits.sum()),
        "accepted": len(sample.pages),
        "effective_size": sampled.effective_size,
        "effective_size_by_weights": size_by_weights(sample.weights),
        "sample": _named(sampled, weighted=False),
        "visited": _named(sampled, weighted=True),
    }
    if isinstance(sampled, SampledWeb):
        content |= {"retried": sampled.retried, "lost": sampled.lost}
    if isinstance(sampled, SampledGraph):
        content |= _of_graph(sampled)
    return json.dumps(content, ensure_ascii=False, allow_nan=False)


def _of_graph(sampled: SampledGraph) -> dict[str, Any]:
    content: dict[str, Any] = {
        "start": sampled.name(sampled.start),
        "pages_within_reach": len(sampled.population),
    }
    for name, buckets in sampled.buckets.items():
        rows = [{**asdict(each), "ratio": each.ratio} for each in buckets]
        content[f"by_{name}"] = {**asdict(sampled.test(name)), "buckets": rows}
    if sampled.eigenvalues is not None:
        steps = sampled.eigenvalues.steps(0.01)
        within = steps if isfinite(steps) else None
        content["eigenvalues"] = {**asdict(sampled.eigenvalues), "steps_to_1_percent": within}
    if sampled.bound is not None:
        content["bound"] = asdict(sampled.bound)
    return content


def _named(sampled: Sampled, *, weighted: bool) -> list[dict[str, Any]]:
    return [
        {"url": sampled.name(page), "weight": weight}
        for page, weight in weighted_pages(sampled.sample, weighted=weighted)
    ]
