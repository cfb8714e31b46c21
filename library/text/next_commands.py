"""Commands that the user may want after a crawl. Pure."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from contextlib import suppress
from ipaddress import ip_address

from hinterland.crawler.fetching.outcomes import OutcomeKind
from hinterland.crawler.loop.decisions.endings import EndReason
from hinterland.crawler.settings.rules import HIDDEN
from hinterland.distribution.installation import PROGRAM
from hinterland.library.text.wording import shell_file
from hinterland.storage.values.pages import FailureReport

_LOOKED_ENOUGH = (EndReason.EXHAUSTED, EndReason.TIME_UP, EndReason.HOSTS_GIVEN_UP, EndReason.RETRIES_LEFT)


def next_commands(
    reason: EndReason,
    store: str | None,
    *,
    command: Sequence[str] = (),
    seeds: Sequence[str] = (),
    max_pages: int | None = None,
    is_gone: bool = False,
    is_estimated: bool = False,
    is_recrawl: bool = False,
    warc: str | None = None,
    failures: Sequence[FailureReport] = (),
    cluster: str | None = None,
) -> list[str]:
    """Return commands to copy, the most likely first.

    reason          why the crawl ended
    store           the file with everything that was fetched; None if it is lost
    command         the arguments of the crawl
    seeds           its seeds
    is_gone         whether the store's files were deleted, moved or replaced during the crawl
    is_estimated    whether the crawl had a hinterland
    is_recrawl      whether it revisited stored pages
    warc            the folder of its archive
    failures        the failures in the store
    cluster         the value of --cluster
    """
    again = given_again(command)
    if store is None:
        return [again]
    file = shell_file(store)
    resume = f"{PROGRAM} crawl --resume --store {file}" + (f" --warc {shell_file(warc)}" if warc else "")
    resume += f" --cluster {shlex.quote(cluster)}" if cluster else ""
    status, rank = f"{PROGRAM} status {file}", f"{PROGRAM} rank {file}   # ranks the pages as the web sees them"
    index = f"{PROGRAM} index {file}   # makes the pages searchable"
    serve = f"{PROGRAM} serve {file}   # shows everything in a browser"
    question = f"""sqlite3 {file} "SELECT url, title FROM pages WHERE state = 'fetched' LIMIT 10\""""
    if is_recrawl:
        changes = f"{PROGRAM} changes {file}   # what is new, changed or gone"
        resume = again if is_recrawling(command) else f"{PROGRAM} recrawl {file}"
        if reason in _LOOKED_ENOUGH:
            return [changes, f"{PROGRAM} index {file}   # writes only what has changed", serve, status]
        if reason == EndReason.STOPPED:
            has_budget = is_recrawling(command) and any(word.startswith("--budget") for word in command)
            how = "continues" if has_budget else "visits all pages again"
            return [f"{resume}   # {how}", changes, status]
    match reason:
        case EndReason.EXHAUSTED:
            return [*([rank] if is_estimated else []), index, serve, status, question]
        case EndReason.SPACES_LEFT:
            further = f"{resume} --set traps.patience=5000   # continues in the endless spaces"
            return [*([rank] if is_estimated else []), index, serve, status, further]
        case EndReason.SETTLED:
            return [rank, index, serve, status]
        case EndReason.NOTHING_FETCHED:
            mended = f"{again}   # after fixing the seed or the settings"
            address = _forbidden_address(failures)
            if address is not None:
                mended = f"{again} --set fetching.allow_networks={address}   # if that machine is yours"
            explain = [f"{PROGRAM} explain {shlex.quote(seed)} --store {file}" for seed in seeds[:1]]
            return [f"{status}   # says why", *explain, mended]
        case EndReason.MAX_PAGES:
            more = "" if max_pages is None or is_recrawl else f" --max-pages {2 * max_pages}"
            return [f"{resume}{more}   # or without a budget", status]
        case EndReason.STORE_FAILED if is_gone:
            return [f"{resume}   # continues with what was fetched", status]
        case EndReason.STORE_FAILED:
            return [f"{resume}   # once there is space on the disk", status]
        case EndReason.ARCHIVE_FAILED:
            return [f"{resume}   # once there is space on the disk, or with another folder", status]
    return [resume, status]


def is_recrawling(command: Sequence[str]) -> bool:
    """Return whether a command revisits stored pages; `crawl --resume` does not continue such a command."""
    return list(command[:1]) == ["recrawl"]


def given_again(command: Sequence[str]) -> str:
    """Return the command line of a crawl, for the user to copy.

    Settings whose values the store does not record are left out; the user must add them.
    """
    words: list[str] = []
    for word in command:
        if not word.endswith(f"={HIDDEN}"):
            words.append(word)
        elif words[-1:] == ["--set"]:
            words.pop()
    return f"{PROGRAM} {shlex.join(words)}"


def _forbidden_address(failures: Sequence[FailureReport]) -> str | None:
    """Return the IP address of a page that failed because this address is forbidden; None if there is none."""
    for failure in failures:
        if failure.outcome == OutcomeKind.FORBIDDEN_ADDRESS:
            for word in failure.detail.replace(",", " ").split():
                with suppress(ValueError):
                    return str(ip_address(word))
    return None
