"""How long hosts rest."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from hinterland.crawler.settings.rules import Complaint, SettingsSection, setting, toml


@dataclass(frozen=True, slots=True, kw_only=True)
class PolitenessSettings(SettingsSection):
    """How gently hosts are visited. A host has one open request at a time; these are its rests."""

    name_in_file: ClassVar[str] = "politeness"

    delay_seconds: float = setting(
        1.0,
        "seconds",
        "The least rest between two visits to a host, from the end of the first to the start of the second;"
        " a Crawl-delay in its robots.txt lengthens it.",
        minimum=0,
    )
    delay_factor: float = setting(
        10.0,
        "times the duration of the last fetch",
        "A host that answers slowly rests longer (Mercator's rule): at ten, it spends less than a tenth of"
        " its time on us.",
        minimum=0,
    )
    max_delay_seconds: float = setting(
        30.0,
        "seconds",
        "The cap of that factor rule: one large file should not silence a host for minutes.",
        minimum=0,
    )
    address_delay_seconds: float = setting(
        0.25,
        "seconds",
        "The least time between two visits to one IP address, shared by all the hosts that live there.",
        minimum=0,
    )
    address_connections: int = setting(
        8,
        "open requests",
        "How many hosts of one IP address may be visited at once: it may be one small machine.",
        minimum=0,
        maximum=10_000,
        special="0: no limit",
    )
    backoff_seconds: float = setting(
        5.0,
        "seconds",
        "The rest after a failure of the host or an answer that asks us to slow down; it doubles each time.",
        minimum=0,
    )
    max_backoff_seconds: float = setting(
        600.0,
        "seconds",
        "Where the doubling ends.",
        minimum=0,
    )
    max_retry_after_seconds: float = setting(
        3600.0,
        "seconds",
        "A longer Retry-After counts as this one; some servers send dates years away.",
        minimum=0,
    )
    page_retry_after_seconds: float = setting(
        600.0,
        "seconds",
        "As long as nothing else of its host has failed, one page that asks for more binds its host only for this long,"
        " and itself for as long as it asks: one broken page should not silence a site.",
        minimum=0,
    )
    give_up_after_failures: int = setting(
        8,
        "failures in a row",
        "Then the host is left alone; its pages stay in the store, and --resume tries it again. With the rests"
        " above that is after some ten minutes of silence.",
        minimum=1,
        maximum=1000,
    )
    give_up_unheard_after_failures: int = setting(
        3,
        "failures in a row",
        "The same for a host that never answered at all in this crawl: most such names are mistyped or gone.",
        minimum=1,
        maximum=1000,
    )
    network_patience_seconds: float = setting(
        21_600.0,
        "seconds",
        "When no host answers any more, it is the network here: the crawl pauses, asks a host now and then, and goes on"
        " once one answers. It ends after this time; what waits stays in the store.",
        minimum=0,
    )
    max_retry_wait_seconds: float = setting(
        600.0,
        "seconds",
        "A crawl that has nothing left but pages to be tried again does not wait longer than this for the next of them;"
        " --resume tries them.",
        minimum=0,
    )

    def _check_together(self) -> None:
        if self.max_backoff_seconds < self.backoff_seconds:
            raise Complaint(
                f"max_backoff_seconds = {toml(self.max_backoff_seconds)}:"
                f" expected no less than politeness.backoff_seconds = {toml(self.backoff_seconds)}"
            )
