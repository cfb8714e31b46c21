"""What the user can do if bot filters or walls block pages, in words. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from hinterland.crawler.fetching.gates.gate import GateKind
from hinterland.crawler.fetching.outcomes import OutcomeKind
from hinterland.storage.values.hosts import HostsReport
from hinterland.storage.values.pages import FailureReport

WAY_OUT: Final = (
    "A bot filter, or a wall for consent or cookies, blocks some pages. The crawl does not circumvent it: its host",
    "rests, and its pages wait. Go slower (--set politeness.delay_seconds=10), or ask the site's owner to admit",
    "identity.name (they can reach you by identity.contact). If a site asks for cookies,",
    "--set fetching.cookies=true may be enough. Then continue: crawl --resume --retry challenged",
)


def met_gates(failures: Sequence[FailureReport], hosts: HostsReport | None) -> bool:
    """Return whether gates (bot filters, consent walls) have blocked pages, or the robots.txt of a host."""
    if any(each.outcome == OutcomeKind.CHALLENGED for each in failures):
        return True
    troubled = () if hosts is None else (*hosts.failing, *hosts.lost)
    return any(kind in (host.last_error or "") for host in troubled for kind in GateKind)


def gate_lines(failures: Sequence[FailureReport], hosts: HostsReport | None) -> Iterator[str]:
    """Yield a blank line and advice; nothing if no gate was met."""
    if met_gates(failures, hosts):
        yield from ("", *WAY_OUT)
