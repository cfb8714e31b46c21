"""Rates, time left, and the three ways to show them."""

from __future__ import annotations

import io
import json
import re
from dataclasses import replace

import pytest
from rich.console import Console

from hinterland.cli.crawl.lines import JsonLines, PlainLines, progress_line
from hinterland.cli.crawl.live_display import LiveDisplay, panel
from hinterland.cli.output import Output
from hinterland.crawler.features.outside.statistics import HinterlandStatistics
from hinterland.crawler.features.topics.harvest import HarvestStatistics
from hinterland.crawler.fetching.flow.bounds import Bound
from hinterland.crawler.fetching.flow.crawl_limits import CrawlLimits
from hinterland.crawler.fetching.flow.lookup_record import LookupsNow
from hinterland.crawler.loop.decisions.progress_step import ProgressStep
from hinterland.library.crawls.observer import PhaseTeller
from hinterland.library.crawls.progress import CrawlProgress, RateMeter
from tests.support.crawl_statistics import FRONTIER, statistics
from tests.support.hinterland import Memory


def progress_at_last(*samples: tuple[float, int], **others: object) -> CrawlProgress:
    pace = RateMeter(window_seconds=10.0)
    return [pace.progress(statistics(seconds, pages, **others)) for seconds, pages in samples][-1]


def test_the_pace_is_that_of_the_last_seconds() -> None:
    progress = progress_at_last((0.0, 0), (10.0, 1000), (20.0, 1010))
    assert progress.pages_per_second == pytest.approx(1.0)
    assert progress.statistics.pages_per_second == pytest.approx(50.5)


def test_the_first_sample_has_the_average_for_its_pace() -> None:
    assert progress_at_last((2.0, 10)).pages_per_second == pytest.approx(5.0)


def test_time_left_is_reckoned_against_the_budget_of_all_runs() -> None:
    progress = progress_at_last((0.0, 0), (10.0, 100), max_pages=1000, fetched_before=400)
    assert progress.remaining_seconds == pytest.approx(50.0)
    assert progress.estimate == "of the budget"


def test_without_a_budget_the_time_left_is_estimated_from_waiting_pages_that_can_be_visited() -> None:
    frontier = replace(FRONTIER, waiting=1500, stranded=503, in_flight=3)
    progress = progress_at_last((0.0, 0), (10.0, 100), frontier=frontier)
    assert progress.remaining_seconds == pytest.approx(100.0)


def test_nobody_can_tell_the_time_left_of_a_crawl_that_stands_still() -> None:
    assert progress_at_last((0.0, 0), (10.0, 0)).remaining_seconds is None


def test_refusals_redirects_and_other_types_are_no_errors() -> None:
    progress = progress_at_last(
        (1.0, 1),
        outcomes={"fetched": 1, "redirected": 2, "robots": 3, "other_type": 4, "client_error": 5},
        host_failures={"dns_failure": 6},
    )
    assert progress.errors == {"dns_failure": 6, "client_error": 5}


def test_a_plain_line_says_all_that_matters() -> None:
    line = progress_line(progress_at_last((0.0, 0), (10.0, 100), max_pages=200, outcomes={"client_error": 1}))
    assert line == (
        "10 s: 100 of 200 pages fetched, 10.0/s now, 10.0/s on average; 1,000 waiting, 3 under way;"
        " hosts 1 ready, 2 resting, 3 busy, 0 given up; 1 error (client_error 1); 0 bytes;"
        " about 10 s left of the budget (estimate)"
    )


@pytest.mark.parametrize("width", [20, 40, 80, 200])
def test_the_live_panel_has_a_dozen_lines_on_any_terminal(width: int) -> None:
    console = Console(file=io.StringIO(), width=width, force_terminal=True, color_system=None)
    crowded = {f"error_{kind}": 1000 for kind in range(20)}
    progress = progress_at_last((1.0, 10), max_pages=100, outcomes=crowded)
    lines = console.render_lines(panel(progress, "a-long-name-of-a-store.db" * 5, "a note"), pad=False)
    assert len(lines) == 11
    assert all(sum(segment.cell_length for segment in line) <= width for line in lines)


def test_the_live_display_leaves_nothing_but_the_summary_behind() -> None:
    terminal = io.StringIO()
    display = LiveDisplay(terminal, Output(io.StringIO()), "s.db")
    display.progress(progress_at_last((1.0, 10)))
    display.close()
    display.close()


def test_a_note_during_a_crawl_takes_the_place_of_the_last_one_and_a_warning_stays() -> None:
    terminal = Terminal()
    display = LiveDisplay(terminal, Output(io.StringIO()), "s.db")
    display.note("opening the store")
    for seconds in (1.0, 2.0):
        display.progress(progress_at_last((seconds, 10)))
    first_panels = terminal.getvalue()
    assert first_panels.count("opening the store") == 1
    assert "Ctrl-C finishes the visits in flight" in first_panels
    display.note("finishing the visits in flight")
    assert "finishing the visits in flight" in terminal.getvalue().removeprefix(first_panels)
    display.warn("a seed is odd")
    assert "warning: a seed is odd" in re.sub(r"\x1b\[[\d;]*m", "", terminal.getvalue())
    display.close()


def test_json_lines_carry_the_counters() -> None:
    stream = io.StringIO()
    JsonLines(Output(stream), 1.0).progress(progress_at_last((0.0, 0), (10.0, 100)))
    event = json.loads(stream.getvalue())
    assert event["event"] == "progress"
    assert event["pages_fetched"] == 100
    assert event["pages_per_second_now"] == 10.0
    assert event["frontier"]["hosts_busy"] == 3


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_refreshes_are_shown_after_the_first_and_never_for_orders_without_them() -> None:
    assert "refreshes" not in shown(progress_at_last((10.0, 100)))
    assert "refreshes  2 in 1.5 s" in shown(progress_at_last((10.0, 100), refreshes=2, refresh_seconds=1.5))


def shown(progress: CrawlProgress) -> str:
    console = Console(file=io.StringIO(), width=120, force_terminal=True, color_system=None)
    console.print(panel(progress, "s.db", "a note"))
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue()


def test_what_bounds_the_crawl_has_its_line_in_each_display() -> None:
    lookups = LookupsNow(3.1, last=20)
    limits = CrawlLimits(Bound.NAMES, FRONTIER, lookups_under_way=48, lookups=lookups)
    progress = progress_at_last((0.0, 0), (10.0, 100), weather=limits)
    told = "ames are slow: a lookup takes 3.1 s (the name server of this machine, 48 under way)"
    assert f"now        N{told}" in shown(progress)
    assert f"; n{told}; " in progress_line(progress)
    assert progress.as_json()["weather"]["bound"] == "names"


def test_a_network_that_is_down_is_reported_once() -> None:
    limits = CrawlLimits(Bound.NETWORK_DOWN, FRONTIER)
    progress = progress_at_last((0.0, 0), (10.0, 100), weather=limits, network_down_seconds=3.0)
    assert progress_line(progress).count("no host has been reachable") == 1


HINTERLAND = HinterlandStatistics("hinterland", 30, 50, 10, 4, "crawled-graph", 0.0123, None)


def test_a_hinterland_is_shown_with_its_budget_and_its_last_change() -> None:
    progress = progress_at_last((0.0, 0), (10.0, 10), hinterland=HINTERLAND)
    told = "30 of 50 pages, 4 estimates by crawled-graph, the last one changed it by 1.2e-02"
    assert f"; hinterland {told}; " in progress_line(progress)
    assert told in shown(progress)
    assert progress.as_json()["hinterland"]["rounds"] == 4


def test_the_live_panel_says_how_a_crawl_about_a_topic_gets_on() -> None:
    harvest = HarvestStatistics(visits=50, gains=20.0, relevant=18, sites=3, visits_in_vain=0)
    told = shown(progress_at_last((0.0, 0), (10.0, 10), harvest=harvest))
    assert "harvest    40 %: 18 of 50 are relevant, on 3 sites" in told
    assert "harvest" not in shown(progress_at_last((0.0, 0), (10.0, 10)))


def test_the_live_panel_of_a_crawl_that_stands_still_promises_no_time() -> None:
    assert "left       not known yet" in shown(progress_at_last((0.0, 0), (10.0, 0)))


def test_the_live_panel_says_for_how_long_nothing_could_be_reached() -> None:
    paused = progress_at_last((0.0, 0), (10.0, 100), network_down_seconds=90.0)
    assert "pages/s    paused: no host has been reachable for 1 min 30 s; trying one now and then" in shown(paused)


def test_time_left_in_the_hinterland_is_reckoned_against_its_budget() -> None:
    progress = progress_at_last((0.0, 0), (10.0, 10), hinterland=HINTERLAND)
    assert progress.remaining_seconds == pytest.approx(20.0)
    assert progress.estimate == "of the budget"


def test_before_the_first_estimate_a_hinterland_has_only_its_budget() -> None:
    beginning = replace(HINTERLAND, phase="local", pages_fetched=0, rounds=0, change=None)
    line = progress_line(progress_at_last((0.0, 0), (10.0, 10), hinterland=beginning))
    assert "; hinterland 0 of 50 pages; " in line


def test_a_crawl_that_pauses_since_nothing_can_be_reached_says_so() -> None:
    paused = progress_at_last((0.0, 0), (10.0, 100), network_down_seconds=90.0)
    assert "no host has been reachable for 1 min 30 s" in progress_line(paused)


# --- what takes long before and after a crawl ---------------------------------------------------

READING = ProgressStep("reading pages", "page", 20_000, 3_000_000)


def test_a_phase_is_a_line_in_a_pipe_an_event_for_programs_and_a_line_that_changes_on_a_terminal() -> None:
    lines, events, terminal = io.StringIO(), io.StringIO(), Terminal()
    PlainLines(Output(lines), Output(io.StringIO()), 1.0).phase(READING)
    assert lines.getvalue() == "reading pages: 20,000 of 3,000,000 pages\n"
    JsonLines(Output(events), 1.0).phase(READING)
    event = json.loads(events.getvalue())
    del event["time"]
    assert event == {"event": "phase", "phase": "reading pages", "unit": "page", "done": 20_000, "of": 3_000_000}
    live = LiveDisplay(terminal, Output(io.StringIO()), "store.db")
    live.phase(READING)
    live.phase(replace(READING, done=30_000))
    live.note("a note in between")
    live.close()
    assert "20,000 of 3,000,000 pages" in terminal.getvalue()
    assert "30,000 of 3,000,000 pages" in terminal.getvalue()
    assert "a note in between" in terminal.getvalue()


def test_what_is_over_within_a_second_is_not_told_and_the_rest_as_often_as_progress_is() -> None:
    now = 0.0
    display = Memory(interval_seconds=5.0)
    tell = PhaseTeller(display, lambda: now)
    for tenths in range(130):
        now = tenths / 10
        tell(replace(READING, done=tenths))
    tell(ProgressStep("another", "link", 1, 2))
    now += 0.9
    tell(ProgressStep("another", "link", 2, 2))
    assert [phase.done for phase in display.phases] == [10, 60, 110]
