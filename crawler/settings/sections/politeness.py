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
        "Minimum rest between two visits to a host, from the end of the first to the start of the second. A longer "
        "Crawl-delay in its robots.txt takes precedence.",
        minimum=0,
    )
    delay_factor: float = setting(
        10.0,
        "times the duration of the last fetch",
        "How long a host rests after a slow response, as a multiple of the time that the response took (Mercator's "
        "rule). With ten, the host spends less than a tenth of its time on this crawler.",
        minimum=0,
    )
    max_delay_seconds: float = setting(
        30.0,
        "seconds",
        "Maximum rest after a slow response (see delay_factor). Without this limit, one large file would block a host "
        "for minutes.",
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
        "Maximum number of hosts at one IP address that are visited at the same time, since they may share one small "
        "machine.",
        minimum=0,
        maximum=10_000,
        special="0: no limit",
    )
    backoff_seconds: float = setting(
        5.0,
        "seconds",
        "How long a host rests after it has failed, or after a response that asks the crawler to slow down. The rest "
        "doubles with each further failure.",
        minimum=0,
    )
    max_backoff_seconds: float = setting(
        600.0,
        "seconds",
        "Maximum rest after failures, however often backoff_seconds has doubled.",
        minimum=0,
    )
    max_retry_after_seconds: float = setting(
        3600.0,
        "seconds",
        "Maximum wait that a Retry-After header can ask for. Longer ones are shortened to this, since some servers "
        "send dates years away.",
        minimum=0,
    )
    page_retry_after_seconds: float = setting(
        600.0,
        "seconds",
        "How long a host may rest after a Retry-After from only one of its pages, if nothing else of the host has "
        "failed. The page itself is retried only after the time that its Retry-After gives. So one broken page does "
        "not block a whole site.",
        minimum=0,
    )
    give_up_after_failures: int = setting(
        8,
        "failures in a row",
        "Number of failures in a row after which a host is given up. Its pages stay in the store, and --resume tries "
        "the host again. With the default rests, this takes about ten minutes.",
        minimum=1,
        maximum=1000,
    )
    give_up_unheard_after_failures: int = setting(
        3,
        "failures in a row",
        "Number of failures in a row after which a host is given up if it has never answered in this crawl. It is "
        "lower than for other hosts, since most such names are mistyped or gone.",
        minimum=1,
        maximum=1000,
    )
    network_patience_seconds: float = setting(
        21_600.0,
        "seconds",
        "How long the crawl waits for the local network. If no host answers any more, the network is taken to be "
        "down: the crawl pauses, tries a host now and then, and continues once one answers. If none answers within "
        "this time, the crawl ends; waiting pages stay in the store.",
        minimum=0,
    )
    max_retry_wait_seconds: float = setting(
        600.0,
        "seconds",
        "Maximum wait for the next retry if all waiting pages are retries. If the next retry is further away, the "
        "crawl ends; --resume retries the pages.",
        minimum=0,
    )

    def _check_together(self) -> None:
        if self.max_backoff_seconds < self.backoff_seconds:
            raise Complaint(
                f"max_backoff_seconds = {toml(self.max_backoff_seconds)}:"
                f" expected no less than politeness.backoff_seconds = {toml(self.backoff_seconds)}"
            )
