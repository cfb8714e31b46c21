"""The summary of a crawl in words: why it ended, what it fetched and what to do next. Pure."""

from __future__ import annotations

from collections.abc import Iterator

from hinterland.crawler.assembly.crawl_features import FEATURES_WITH_FILES
from hinterland.crawler.features.outside.statistics import HinterlandStatistics
from hinterland.crawler.features.recrawl.revisit_statistics import RevisitStatistics
from hinterland.crawler.features.topics.harvest import HarvestStatistics
from hinterland.crawler.features.topics.links.exploration_accuracy import ExplorationAccuracy
from hinterland.library.crawls.ending import Ending, StoreContent
from hinterland.library.text.accuracy_text import accuracy_lines
from hinterland.library.text.extraction_text import extraction_lines
from hinterland.library.text.failure_lines import failure_lines, with_reason
from hinterland.library.text.gates_text import gate_lines
from hinterland.library.text.limits_text import mostly_line, names_line
from hinterland.library.text.reach_text import reach_lines
from hinterland.library.text.rendering_text import rendering_lines
from hinterland.library.text.slowed_text import slowed_lines
from hinterland.library.text.wording import (
    counted,
    cut_line,
    duration,
    files_line,
    harvest_line,
    hinterland_line,
    logins_line,
    number,
    printable,
    rate,
    revisits_line,
    sitemaps_line,
    size,
    table,
)


def summary(ending: Ending) -> str:
    """Return the summary for people: several lines, without a final line break."""
    lines = [f"The crawl ended: {ending.reason.sentence}. ({ending.reason.label})"]
    if ending.problem:
        lines.append(f"  {printable(ending.problem)}")
    lines += ["", *table(_this_run(ending))]
    if ending.content is not None:
        stranded = ending.progress.statistics.frontier.stranded
        lines += ["", "In the store, all runs together:", *_content(ending.content, stranded)]
    size_of_store = "" if ending.content is None else f" ({size(ending.content.size_bytes)})"
    lines += ["", f"Store  {ending.store}{size_of_store}"]
    lines += [f"{'Next' if place == 0 else '':5}  {command}" for place, command in enumerate(ending.next_commands)]
    return "\n".join(lines)


def _this_run(ending: Ending) -> Iterator[tuple[str, str]]:
    statistics = ending.progress.statistics
    took = f"in {duration(statistics.seconds)}, {rate(statistics.pages_per_second)} a second"
    yield "fetched", f"{counted(statistics.pages_fetched, 'page')} {took}"
    yield "links", f"{number(statistics.links)} on these pages"
    received = f"{size(statistics.wire_bytes)} of pages, {size(statistics.body_bytes)} decoded"
    yield "received", received
    if statistics.weather is not None:
        if (mostly := mostly_line(statistics.weather)) is not None:
            yield "bound", mostly
        if (names := names_line(statistics.weather.lookups)) is not None:
            yield "names", names
        if statistics.weather.closed_before:
            told = counted(statistics.weather.closed_before, "connection")
            yield "closed", f"{told} closed by the server during a request, which was retried after a rest"
    if (hinterland := statistics.of(HinterlandStatistics)) is not None:
        yield "hinterland", hinterland_line(hinterland).partition(" ")[2]
    if (harvest := statistics.of(HarvestStatistics)) is not None:
        yield "harvest", harvest_line(harvest).partition(" ")[2]
    if (revisits := statistics.of(RevisitStatistics)) is not None:
        yield "revisits", revisits_line(revisits)
    if sitemaps := statistics.features.get("sitemaps"):
        yield "sitemaps", sitemaps_line(sitemaps)
    if logins := statistics.features.get("logins"):
        yield "logins", logins_line(logins)
    for feature in FEATURES_WITH_FILES:
        if counts := statistics.features.get(feature.counters[0]):
            yield feature.label, files_line(counts, feature.words)
    if (accuracy := statistics.of(ExplorationAccuracy)) is not None:
        for place, line in enumerate(accuracy_lines(accuracy)):
            yield "" if place else "sample", line
    if statistics.cut:
        yield "cut", f"{cut_line(statistics.cut)}: too much to keep; see the view cuts"
    if statistics.retries:
        yield "retries", f"{number(statistics.retries)} failed visits to be repeated later"
    if statistics.parser_restarts:
        yield (
            "parsers",
            f"{counted(statistics.parser_restarts, 'parser process', 'parser processes')} replaced",
        )


def _content(content: StoreContent, stranded: int) -> Iterator[str]:
    pages = content.pages
    yield from table(
        [
            ("fetched", number(pages.of("fetched")), "HTML pages, plus other files that are recorded but not parsed"),
            ("redirected", number(pages.of("redirected")), ""),
            ("refused", number(pages.of("refused")), "not requested: blocked by robots.txt, or a private address"),
            ("failed", number(pages.of("failed")), ""),
            ("waiting", number(pages.of("waiting")), _why_waiting(content, stranded)),
            ("known", number(pages.of("known")), "seen in links, not to be fetched"),
            ("hosts", number(content.hosts.visited), f"visited, of {number(content.hosts.known)} known"),
        ],
        right=(1,),
    )
    yield from extraction_lines(content.extracted)
    yield from reach_lines(content.dead_starts, content.left_by_nofollow)
    yield from rendering_lines(content.renderings)
    yield from slowed_lines(content.slowed)
    yield from failure_lines(content.failures)
    if content.hosts.failing:
        yield ""
        yield "Hosts that failed last time and rest until the next try"
        for host in content.hosts.failing:
            yield from with_reason(f"  {printable(host.url)}", host.last_error or "")
    if content.hosts.given_up:
        yield ""
        hosts = counted(content.hosts.given_up, "host")
        yield f"Given up: {hosts}; crawl --resume gives each another chance."
        for host in content.hosts.lost:
            yield from with_reason(f"  {printable(host.url)}", host.last_error or "")
        if content.hosts.given_up > len(content.hosts.lost):
            yield f"  and {number(content.hosts.given_up - len(content.hosts.lost))} more; status names them"
    yield from gate_lines(content.failures, content.hosts)


def _why_waiting(content: StoreContent, stranded: int) -> str:
    retrying = sum(each.retrying for each in content.failures)
    reasons = [f"{number(retrying)} of them to be retried"] if retrying else []
    if stranded:
        reasons.append(f"{number(stranded)} at hosts that are given up or at scope.max_pages_per_host")
    left = sum(each.left_waiting for each in content.slowed)
    if left:
        reasons.append(f"{number(left)} in endless URL spaces")
    return ", ".join(reasons)
