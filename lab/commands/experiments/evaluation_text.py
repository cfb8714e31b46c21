"""Tables of an evaluation, for a terminal and as Markdown. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from hinterland.analysis.local_domain import DescribedDomain
from hinterland.lab.evaluation import ALL, HALVES, Evaluation, Summary
from hinterland.library.text.wording import number, table

Table = Callable[[Sequence[Sequence[str]], int], list[str]]
"""Turns rows into lines. The first row is the head; the number says how many columns on the left are text."""


def plain_table(rows: Sequence[Sequence[str]], texts: int) -> list[str]:
    """Return the rows as aligned lines for a terminal."""
    return table(rows, right=range(texts, len(rows[0])))


def markdown_table(rows: Sequence[Sequence[str]], texts: int) -> list[str]:
    """Return the rows as the lines of a Markdown table."""
    rule = ["---" if column < texts else "---:" for column in range(len(rows[0]))]
    return [f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in row)} |" for row in [rows[0], rule, *rows[1:]]]


def domain_rows(candidates: Sequence[DescribedDomain], halves: Mapping[str, str]) -> list[list[str]]:
    """Return a table of the local domains; its first row is the header."""
    rows = [["local domain", "half", "pages", "frontier", "in reach", "L1 alone"]]
    for each in candidates:
        name = each.domain.name
        rows.append(
            [
                name,
                halves[name],
                number(each.domain.page_count),
                number(each.frontier),
                number(each.reachable),
                f"{each.l1_alone:.4f}",
            ]
        )
    return rows


def evaluation_lines(evaluation: Evaluation, as_table: Table, heading: str) -> Iterator[str]:
    """Yield all tables, budget by budget, with `heading` before each title."""
    for budget in evaluation.budgets:
        estimators = list(dict.fromkeys(each.estimator for each in evaluation.strategies))
        for estimator in estimators:
            yield f"{heading}L1 after {budget:g} n outside pages, estimator {estimator}"
            yield ""
            yield from as_table(_distance_rows(evaluation, budget, estimator), 1)
            yield ""
        summaries = evaluation.summaries(budget)
        if summaries:
            yield f"{heading}All strategies after {budget:g} n outside pages"
            yield ""
            yield from as_table(_summary_rows(summaries), 2)
            yield ""
    if evaluation.solved:
        names = ", ".join(evaluation.solved)
        yield f"Not counted in means, wins and ratios, because any sensible strategy solves them: {names}."
        yield ""


def _distance_rows(evaluation: Evaluation, budget: float, estimator: str) -> list[list[str]]:
    strategies = [each for each in evaluation.strategies if each.estimator == estimator]
    rows = [["local domain", *(each.policy for each in strategies)]]
    rows += [
        [name, *(f"{evaluation.l1(name, budget, each):.4f}" for each in strategies)] for name in evaluation.domains
    ]
    for part in (ALL, *HALVES):
        means = [evaluation.geometric_mean(budget, each, part) for each in strategies]
        label = "geometric mean" if part == ALL else f"geometric mean of half {part}"
        rows.append([label, *("" if mean is None else f"{mean:.4f}" for mean in means)])
    return rows


def _summary_rows(summaries: Sequence[Summary]) -> list[list[str]]:
    has_others = any(each.published_wins is None for each in summaries)
    head = ["policy", "estimator", "mean L1", "mean A", "mean B", "wins"]
    head += ["wins among published"] if has_others else []
    rows = [[*head, "to best mean", "A", "B", "worst to best", "worst to oracle"]]
    for each in summaries:
        row = [each.strategy.policy, each.strategy.estimator]
        row += [f"{each.means[part]:.4f}" if part in each.means else "" for part in (ALL, *HALVES)]
        row += [str(each.wins)]
        if has_others:
            row += ["" if each.published_wins is None else str(each.published_wins)]
        row += [f"{each.to_best[part]:.2f}" if part in each.to_best else "" for part in (ALL, *HALVES)]
        row += [f"{each.worst_to_best.ratio:.2f}", f"{each.worst_to_oracle.ratio:.2f}"]
        rows.append(row)
    return rows


EXPLANATION = """\
How to read the tables:

- L1: the distance to the true PageRank. Means are geometric.
- A and B: the two halves of the domains.
- Wins: the domains on which no other strategy is better. Ties count for all.
- To best mean: the mean divided by the smallest mean of a published strategy, separately for A and B.
- Worst to best: the largest ratio, on any one domain, to the published strategy with the smallest mean over all.
- Worst to oracle: the same, to the published strategy that is best on each domain."""
