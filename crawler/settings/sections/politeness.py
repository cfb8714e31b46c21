"""How long hosts rest between visits."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from hinterland.crawler.settings.rules import Complaint, SettingsSection, setting, toml


@dataclass(frozen=True, slots=True, kw_only=True)
class PolitenessSettings(SettingsSection):
    """How gently hosts are visited: one open request at a time for each host, and rests between requests."""

    name_in_file: ClassVar[str] = "politeness"

    delay_seconds: float = setting(
        1.0,
        "seconds",
        "Minimum rest between two visits to a host, from the end of the first to the start of the second. A"
        " Crawl-delay in its robots.txt lengthens it.",
        minimum=0,
    )
    delay_factor: float = setting(
        10.0,
        "times the duration of the last fetch",
        "A host that responds slowly rests longer (Mercator's rule): with ten, it spends less than a tenth of its"
        " time on this crawler.",
        minimum=0,
    )
    max_delay_seconds: float = setting(
        30.0,
        "seconds",
        "The longest rest that delay_factor leads to, so that one large file does not silence a host for minutes.",
        minimum=0,
    )
    address_delay_seconds: float = setting(
        0.25,
        "seconds",
        "Minimum time between two visits to one IP address, shared by all hosts at that address.",
        minimum=0,
    )
    address_connections: int = setting(
        8,
        "open requests",
        "How many hosts at one IP address may be visited at once, since they may share one small machine.",
        minimum=0,
        maximum=10_000,
        special="0: no limit",
    )
    backoff_seconds: float = setting(
        5.0,
        "seconds",
        "The rest after a failure of the host, or after a response that asks to slow down. It doubles each time.",
        minimum=0,
    )
    max_backoff_seconds: float = setting(
        600.0,
        "seconds",
        "The longest rest that this doubling leads to.",
        minimum=0,
    )
    max_retry_after_seconds: float = setting(
        3600.0,
        "seconds",
        "A longer Retry-After is shortened to this; some servers send dates years away.",
        minimum=0,
    )
    page_retry_after_seconds: float = setting(
        600.0,
        "seconds",
        "If one page asks for a longer wait and nothing else of its host has failed, the host rests only for this"
        " long, and the page waits as long as it asked: one broken page should not silence a site.",
        minimum=0,
    )
    give_up_after_failures: int = setting(
        8,
        "failures in a row",
        "After this many failures in a row the host is left alone. Its pages stay in the store, and --resume tries it"
        " again. With the rests above, that is after about ten minutes of silence.",
        minimum=1,
        maximum=1000,
    )
    give_up_unheard_after_failures: int = setting(
        3,
        "failures in a row",
        "The same for a host that has never answered in this crawl: most such names are mistyped or gone.",
        minimum=1,
        maximum=1000,
    )
    network_patience_seconds: float = setting(
        21_600.0,
        "seconds",
        "When no host answers any more, the network here has failed: the crawl pauses, tries a host now and then, and"
        " goes on once one answers. It ends after this time, and pages that still wait stay in the store.",
        minimum=0,
    )
    max_retry_wait_seconds: float = setting(
        600.0,
        "seconds",
        "When only pages to be retried are left, the crawl ends instead of waiting longer than this for the next"
        " retry; --resume tries them.",
        minimum=0,
    )

    def _check_together(self) -> None:
        if self.max_backoff_seconds < self.backoff_seconds:
            raise Complaint(
                f"max_backoff_seconds = {toml(self.max_backoff_seconds)}:"
                f" expected no less than politeness.backoff_seconds = {toml(self.backoff_seconds)}"
            )
