"""Every setting with its default, its unit and the reason for its value: one file for each section.

Each part of the crawler receives only its own section. settings.toml is rendered from these files: after a change run
`python -m hinterland.crawler.settings > settings.toml`.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from hinterland.crawler.settings.rules import SettingsSection
from hinterland.crawler.settings.sections.fetching import FetchingSettings
from hinterland.crawler.settings.sections.hinterland import HinterlandSettings
from hinterland.crawler.settings.sections.identity import IdentitySettings
from hinterland.crawler.settings.sections.parsing import ParsingSettings
from hinterland.crawler.settings.sections.policy import PolicySettings
from hinterland.crawler.settings.sections.politeness import PolitenessSettings
from hinterland.crawler.settings.sections.rendering import RenderingSettings
from hinterland.crawler.settings.sections.report import ReportSettings
from hinterland.crawler.settings.sections.revisits import RevisitSettings
from hinterland.crawler.settings.sections.robots import RobotsSettings
from hinterland.crawler.settings.sections.scope import ScopeSettings
from hinterland.crawler.settings.sections.search import SearchSettings
from hinterland.crawler.settings.sections.sitemaps import SitemapSettings
from hinterland.crawler.settings.sections.storage import StorageSettings
from hinterland.crawler.settings.sections.traps import TrapSettings
from hinterland.crawler.settings.sections.urls import UrlSettings


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """Every setting of a crawl."""

    identity: IdentitySettings = field(default_factory=IdentitySettings)
    scope: ScopeSettings = field(default_factory=ScopeSettings)
    traps: TrapSettings = field(default_factory=TrapSettings)
    urls: UrlSettings = field(default_factory=UrlSettings)
    robots: RobotsSettings = field(default_factory=RobotsSettings)
    politeness: PolitenessSettings = field(default_factory=PolitenessSettings)
    fetching: FetchingSettings = field(default_factory=FetchingSettings)
    parsing: ParsingSettings = field(default_factory=ParsingSettings)
    rendering: RenderingSettings = field(default_factory=RenderingSettings)
    storage: StorageSettings = field(default_factory=StorageSettings)
    policy: PolicySettings = field(default_factory=PolicySettings)
    hinterland: HinterlandSettings = field(default_factory=HinterlandSettings)
    revisits: RevisitSettings = field(default_factory=RevisitSettings)
    sitemaps: SitemapSettings = field(default_factory=SitemapSettings)
    search: SearchSettings = field(default_factory=SearchSettings)
    report: ReportSettings = field(default_factory=ReportSettings)

    def value(self, name: str) -> object:
        """Return the value of a setting, named "section.key"."""
        section, _, key = name.partition(".")
        return getattr(getattr(self, section), key)


SECTIONS: dict[str, type[SettingsSection]] = {
    kind.name_in_file: kind
    for kind in (
        IdentitySettings,
        ScopeSettings,
        TrapSettings,
        UrlSettings,
        RobotsSettings,
        PolitenessSettings,
        FetchingSettings,
        ParsingSettings,
        RenderingSettings,
        StorageSettings,
        PolicySettings,
        HinterlandSettings,
        RevisitSettings,
        SitemapSettings,
        SearchSettings,
        ReportSettings,
    )
}
"""The sections by name, in the order of settings.toml and of the fields of Settings."""
