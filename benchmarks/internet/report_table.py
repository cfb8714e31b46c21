"""Reports as text: a line for each thing, a column for each run."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final

from benchmarks.internet.report import LinkUse, Report

_FIRST_COLUMN: Final = 34
_COLUMN: Final = 22


def table(reports: Sequence[Report]) -> str:
    """Return the reports side by side."""
    lines = [_line("", [report.name for report in reports])]
    lines += (_line(label, [show(report) for report in reports]) for label, show in _ROWS)
    for report in reports:
        lines += _findings(report)
    return "\n".join(lines) + "\n"


def as_json(report: Report) -> dict[str, Any]:
    """All of a report that a program may want to read."""
    values = {name: _plain(getattr(report, name)) for name in Report.__slots__}
    return values | {"ratio": round(report.ratio, 4)}


def _plain(value: object) -> object:
    if isinstance(value, Counter):
        return {", ".join(key) if isinstance(key, tuple) else key: count for key, count in sorted(value.items())}
    if isinstance(value, float):
        return None if value == float("inf") else round(value, 5)
    if hasattr(value, "__slots__"):
        return {name: _plain(getattr(value, name)) for name in value.__slots__}
    return value


def _line(label: str, cells: Sequence[str]) -> str:
    return f"{label:<{_FIRST_COLUMN}}" + "".join(f"{cell:>{_COLUMN}}" for cell in cells)


def _of_link(show: Callable[[LinkUse], str]) -> Callable[[Report], str]:
    return lambda report: "-" if report.link is None else show(report.link)


_ROWS: Final[Sequence[tuple[str, Callable[[Report], str]]]] = (
    ("hosts, of them living", lambda r: f"{r.hosts:,}, {r.living:,}"),
    ("first question or request after", lambda r: f"{r.start_seconds:.1f} s"),
    ("names asked for", lambda r: f"{r.names_asked:,}"),
    ("  in the busiest second", lambda r: f"{r.names_a_second:,}"),
    ("questions to the name server", lambda r: f"{sum(r.queries.values()):,}"),
    ("hosts reached", lambda r: f"{r.reached:,}"),
    ("  ideal", lambda r: f"{r.ideal_reached:,}"),
    ("  half of the living after", lambda r: "-" if r.half_reached_after is None else f"{r.half_reached_after:.1f} s"),
    ("pages in all", lambda r: f"{r.pages:,}"),
    ("pages/s in the window", lambda r: f"{r.rate:.1f}"),
    ("  ideal", lambda r: f"{r.ideal_rate:.1f}"),
    ("  share of the ideal", lambda r: f"{r.ratio:.1%}"),
    ("living hosts blamed", lambda r: f"{r.blame.hosts:,}"),
    ("  of them given up", lambda r: f"{r.blame.given_up:,}"),
    ("CPU ms a page, in the window", lambda r: "-" if r.cpu_ms is None else f"{r.cpu_ms:.2f}"),
    ("CPU ms a host reached, in all", lambda r: "-" if r.cpu_ms_host is None else f"{r.cpu_ms_host:.1f}"),
    ("peak memory", lambda r: f"{r.peak_mb:.0f} MB"),
    ("seconds until ended, exit code", lambda r: f"{r.stop_seconds:.1f}, {r.exit_codes}"),
    (
        "requests: new, resumed, reused",
        lambda r: ", ".join(f"{r.arrivals[kind]:,}" for kind in ("new", "resumed", "reused")),
    ),
    ("wait at the link, p50, p95 ms", _of_link(lambda link: f"{link.wait_p50_ms:.1f}, {link.wait_p95_ms:.1f}")),
    ("  longest ms", _of_link(lambda link: f"{link.wait_max_ms:.1f}")),
    ("link down, up Mbit/s", _of_link(lambda link: f"{link.down_bits / 1e6:.2f}, {link.up_bits / 1e6:.2f}")),
    ("packets dropped at the link", _of_link(lambda link: f"{link.dropped:,}")),
    ("the box itself late, p95 ms", _of_link(lambda link: f"{link.late_p95_ms:.2f}")),
    ("gaps looked at, shortest", lambda r: f"{r.manners.gaps:,}, {r.manners.shortest_gap:.3f} s"),
    ("violations of manners", lambda r: f"{sum(r.manners.violations.values()):,}"),
)


def _findings(report: Report) -> Iterator[str]:
    yield f"\n{report.name}:"
    yield from _counted("questions by outcome", report.queries)
    yield from _counted("living hosts wrongly blamed, by failure", report.blame.wrongly)
    yield from _counted(
        "hosts by what they are: what is said of them", {": ".join(k): n for k, n in report.blame.outcomes.items()}
    )
    yield from (f"    {example}" for example in report.blame.examples)
    yield from _counted("violations of manners", report.manners.violations)
    yield from (f"    {example}" for example in report.manners.examples)
    yield f"  the server counted {report.tally}"


def _counted(title: str, counts: Mapping[str, int]) -> Iterator[str]:
    if counts:
        yield f"  {title}:"
        yield from (f"    {count:>7,}  {key}" for key, count in sorted(counts.items(), key=lambda item: -item[1]))
