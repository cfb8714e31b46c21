"""Numbers, times and untrusted texts in the form in which people read them. Pure."""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from hinterland.crawler.features.outside.statistics import HinterlandStatistics
    from hinterland.crawler.features.recrawl.revisit_statistics import RevisitStatistics
    from hinterland.crawler.features.topics.harvest import HarvestStatistics
    from hinterland.crawler.loop.decisions.progress_step import ProgressStep


def number(count: float) -> str:
    """Return a rounded number with separators: "12,345"."""
    return f"{count:,.0f}"


def ordinal(place: int) -> str:
    """Return an ordinal number: "1st", "12th", "2,910th"."""
    ending = "th" if place % 100 in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(place % 10, "th")
    return f"{number(place)}{ending}"


def counted(count: int, noun: str, plural: str = "") -> str:
    """Return a number and its noun: "1 page", "2 pages"."""
    return f"{number(count)} {noun if count == 1 else plural or f'{noun}s'}"


def rate(per_second: float) -> str:
    """Return a rate per second: with one decimal below 100, without decimals from 100."""
    return f"{per_second:,.0f}" if per_second >= 100 else f"{per_second:.1f}"


def size(count: float) -> str:
    """Return a number of bytes in decimal units: "12.3 MB"."""
    if f"{count:.0f}" == "1":
        return "1 byte"
    for unit in ("bytes", "KB", "MB", "GB"):
        if count < 1000:
            return f"{count:.0f} {unit}" if unit == "bytes" or count >= 100 else f"{count:.1f} {unit}"
        count /= 1000
    return f"{count:,.1f} TB"


def duration(seconds: float) -> str:
    """Return a length of time: "0.4 s", "12 s", "1 min 05 s", "2 h 05 min", "3 d 4 h"."""
    if seconds < 9.95:
        return f"{max(seconds, 0.0):.1f} s"
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60:02} s"
    minutes = whole // 60
    if minutes < 24 * 60:
        return f"{minutes // 60} h {minutes % 60:02} min"
    hours = minutes // 60
    return f"{hours // 24} d {hours % 24} h"


def exact_seconds(seconds: float) -> str:
    """Return a delay as it was set: "1 s", "0.25 s"."""
    return f"{seconds:g} s"


def compiling_line(seconds: float) -> str:
    """Return a sentence about the compilation at the start of a crawl. `seconds` is how long it has taken so far."""
    return f"compiling for {duration(seconds)}, once on this machine; pages are not ranked until that is done"


def hinterland_line(hinterland: HinterlandStatistics) -> str:
    """Return how many pages of the hinterland are fetched, and how accurate the estimate is."""
    fetched = f"{number(hinterland.pages_fetched)} of {number(hinterland.budget)} pages"
    if not hinterland.rounds:
        return f"hinterland {fetched}"
    change = "" if hinterland.change is None else f", the last one changed it by {hinterland.change:.1e}"
    rounds = counted(hinterland.rounds, "estimate")
    return f"hinterland {fetched}, {rounds} by {hinterland.estimator}{change}{_predicted_error(hinterland)}"


def _predicted_error(hinterland: HinterlandStatistics) -> str:
    if hinterland.error is None or hinterland.error_at_most is None:
        return ""
    error = f", predicted error {error_words(hinterland.error, hinterland.error_at_most)}"
    if hinterland.unlike:
        error += " and this crawl is unlike those it was learnt from"
    return error if hinterland.outlook is None else f"{error}, {outlook_words(hinterland.outlook)}"


def error_words(error: float, at_most: float) -> str:
    """Return a predicted L1 distance: "0.051 (9 in 10: below 0.12)"."""
    return f"{error:.2g} (9 in 10: below {at_most:.2g})"


def outlook_words(outlook: Sequence[float]) -> str:
    """Return the predicted errors after n, 2 n and 4 n more pages, for n local pages."""
    return f"{' / '.join(f'{each:.2g}' for each in outlook)} after n / 2 n / 4 n pages more"


_STAGNATION = 200
"""If this many consecutive visits or more found no relevant page, their number is shown."""


def harvest_line(harvest: HarvestStatistics) -> str:
    """Return how many pages of a crawl with a topic are relevant."""
    share = f"{100 * harvest.rate:.0f} %"
    found = f"harvest {share}: {number(harvest.relevant)} of {number(harvest.visits)} are relevant"
    sites = f", on {counted(harvest.sites, 'site')}" if harvest.sites else ""
    vain = harvest.visits_in_vain
    return f"{found}{sites}" + (f"; none of the last {number(vain)}" if vain >= _STAGNATION else "")


def revisits_line(revisits: RevisitStatistics) -> str:
    """Return how many pages were revisited, and what the revisits found, in one line."""
    looks = sum(count for found, count in revisits.looks.items() if found != "new")
    of = f" of {number(looks + revisits.left)}" if revisits.left else ""
    found = ", ".join(
        f"{number(revisits.looks[each])} {meaning}" for each, meaning in FINDINGS.items() if each in revisits.looks
    )
    told = f"revisited {number(looks)}{of}" + (f": {found}" if found else "")
    if (outlook := revisits.outlook) is not None:
        told += f"; {outlook.freshness:.0%} of {number(outlook.pages)} pages by weight are probably current"
    return told


def logins_line(counts: Mapping[str, int]) -> str:
    """Return the results of logins by login form, as one line."""
    made = f"{number(counts['made'])} made"
    if counts["ended"]:
        made += f", after {counted(counts['ended'], 'session')} had ended"
    if counts["given_up"]:
        made += f"; {number(counts['given_up'])} given up: see the warnings"
    if counts["not_followed"]:
        links = counted(counts["not_followed"], "link")
        made += f"; {links} not followed that would log out or delete"
    return made


def sitemaps_line(counts: Mapping[str, int]) -> str:
    """Return how many sitemaps and feeds were read, were unchanged, or failed, in one line."""
    meanings = {"read": "read", "not_modified": "as before", "failed": "failed", "signals": "notices of changes"}
    return ", ".join(f"{number(counts[each])} {meaning}" for each, meaning in meanings.items() if each in counts)


def files_line(counts: Mapping[str, int], words: Mapping[str, str]) -> str:
    """Return how many files had each outcome, in one line.

    `words` name the outcomes. The first is always shown, even if its count is 0.
    """
    first, *_ = words
    told = {outcome: counts.get(outcome, 0) for outcome in words} | dict(counts)
    return ", ".join(
        f"{number(count)} {words.get(outcome, outcome.replace('_', ' '))}"
        for outcome, count in told.items()
        if count or outcome == first
    )


FINDINGS: Final = {
    "same": "as before",
    "changed": "changed",
    "moved": "moved",
    "gone": "gone",
    "back": "back again",
    "missed": "not found this time",
    "new": "new",
}
"""The results of revisits in words."""


def cut_line(pages: Mapping[str, int]) -> str:
    """Return what was cut, and on how many pages: "links of 3 pages, headings of 1 page"."""
    return ", ".join(f"{what.replace('_', ' ')} of {counted(count, 'page')}" for what, count in pages.items())


def moment(epoch_seconds: float) -> str:
    """Return a point in time in local time: "2026-07-01 12:30:05"."""
    return datetime.fromtimestamp(epoch_seconds).astimezone().strftime("%Y-%m-%d %H:%M:%S")


def sparkline(values: Sequence[float]) -> str:
    """Return a bar chart in one line: a block character per value, for at most 50 evenly chosen values."""
    blocks = "▁▂▃▄▅▆▇█"
    if len(values) > 50:
        values = [values[place * (len(values) - 1) // 49] for place in range(50)]
    top = max(values, default=0.0)
    return "".join(blocks[min(int(8 * value / top), 7) if top > 0 else 0] for value in values)


def printable(text: str) -> str:
    """Return untrusted text that is safe to print on a terminal: its control characters are escaped."""
    return "".join(each if each.isprintable() else ascii(each)[1:-1] for each in text)


def json_text(value: object) -> str:
    """Return indented JSON that is safe to print on a terminal, even if it contains untrusted texts."""
    text = json.dumps(value, ensure_ascii=False, indent=2)
    return "".join(each if each == "\n" or each.isprintable() else _json_escape(each) for each in text)


def _json_escape(character: str) -> str:
    return json.dumps(character)[1:-1] if ord(character) > 0xFFFF else f"\\u{ord(character):04x}"


def shell_file(name: str) -> str:
    """Return the name of a file as a word of a command line; it cannot be mistaken for an option: "./-a.db"."""
    return shlex.quote(f"./{name}" if name.startswith("-") else name)


def shortened(text: str, width: int) -> str:
    """Return a text of at most `width` characters, with an ellipsis if it was cut."""
    return text if len(text) <= width else f"{text[: width - 1]}…"


def table(rows: Iterable[Sequence[str]], right: Sequence[int] = (), indent: str = "  ") -> list[str]:
    """Return lines with aligned columns; the columns in `right` are right-aligned."""
    filled = [list(row) for row in rows]
    if not filled:
        return []
    widths = [max(len(row[column]) for row in filled) for column in range(len(filled[0]))]
    return [
        indent
        + "  ".join(
            cell.rjust(width) if column in right else cell.ljust(width)
            for column, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in filled
    ]


def phase_line(phase: ProgressStep) -> str:
    """Return how far a long step before or after a crawl has got: "reading pages: 20,000 of 3,000,000"."""
    return f"{phase.doing}: {number(phase.done)} of {counted(phase.of, phase.unit)}"
