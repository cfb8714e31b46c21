"""Every setting with its default, its unit and the reason for its value: one file for each section.

Each part of the crawler receives only its own section. The sections in this folder belong to parts that every crawl
has. The section of a feature is the class in `settings.py` in the feature's folder. settings.toml is rendered from
these files: after a change run `python -m docs.reference_pages`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Final, TypeVar

from hinterland.crawler.settings.rules import SettingsSection
from hinterland.crawler.settings.sections.fetching import FetchingSettings
from hinterland.crawler.settings.sections.identity import IdentitySettings
from hinterland.crawler.settings.sections.parsing import ParsingSettings
from hinterland.crawler.settings.sections.policy import PolicySettings
from hinterland.crawler.settings.sections.politeness import PolitenessSettings
from hinterland.crawler.settings.sections.report import ReportSettings
from hinterland.crawler.settings.sections.robots import RobotsSettings
from hinterland.crawler.settings.sections.scope import ScopeSettings
from hinterland.crawler.settings.sections.search import SearchSettings
from hinterland.crawler.settings.sections.storage import StorageSettings
from hinterland.crawler.settings.sections.urls import UrlSettings
from hinterland.storage.values.feature_modules import modules_of_features

Section = TypeVar("Section", bound=SettingsSection)


_CORE: Final[Mapping[str, type[SettingsSection]]] = {
    kind.name_in_file: kind
    for kind in (
        IdentitySettings,
        ScopeSettings,
        UrlSettings,
        RobotsSettings,
        PolitenessSettings,
        FetchingSettings,
        ParsingSettings,
        StorageSettings,
        PolicySettings,
        SearchSettings,
        ReportSettings,
    )
}


class _Sections(Mapping[str, type[SettingsSection]]):
    """The classes of all sections, by name. The modules of features are imported at the first access."""

    @cached_property
    def of_features(self) -> tuple[type[SettingsSection], ...]:
        """The sections of features, in the order of their folders."""
        return tuple(
            kind
            for module in modules_of_features("settings")
            for kind in vars(module).values()
            if isinstance(kind, type) and issubclass(kind, SettingsSection) and kind.__module__ == module.__name__
        )

    @cached_property
    def _all(self) -> dict[str, type[SettingsSection]]:
        return {**_CORE, **{kind.name_in_file: kind for kind in self.of_features}}

    def __getitem__(self, name: str) -> type[SettingsSection]:
        return self._all[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._all)

    def __len__(self) -> int:
        return len(self._all)


SECTIONS: Final = _Sections()
"""The sections by name, in the order of settings.toml: first the sections of every crawl, then those of features."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """Every setting of a crawl. `of_features` has a section for each feature that has settings."""

    identity: IdentitySettings = field(default_factory=IdentitySettings)
    scope: ScopeSettings = field(default_factory=ScopeSettings)
    urls: UrlSettings = field(default_factory=UrlSettings)
    robots: RobotsSettings = field(default_factory=RobotsSettings)
    politeness: PolitenessSettings = field(default_factory=PolitenessSettings)
    fetching: FetchingSettings = field(default_factory=FetchingSettings)
    parsing: ParsingSettings = field(default_factory=ParsingSettings)
    storage: StorageSettings = field(default_factory=StorageSettings)
    policy: PolicySettings = field(default_factory=PolicySettings)
    search: SearchSettings = field(default_factory=SearchSettings)
    report: ReportSettings = field(default_factory=ReportSettings)
    of_features: tuple[SettingsSection, ...] = field(
        default_factory=lambda: tuple(kind() for kind in SECTIONS.of_features)
    )

    @staticmethod
    def from_sections(sections: Mapping[str, SettingsSection]) -> Settings:
        """Return settings with these sections, by name; all other sections have their defaults."""
        return Settings().with_sections(sections)

    def with_sections(self, sections: Mapping[str, SettingsSection]) -> Settings:
        """Return the settings with some sections replaced, by name."""
        of_features = tuple(sections.get(each.name_in_file, each) for each in self.of_features)
        core: dict[str, Any] = {name: section for name, section in sections.items() if name in _CORE}
        return replace(self, of_features=of_features, **core)

    def of(self, kind: type[Section]) -> Section:
        """Return the section of a feature, by its class."""
        return next(each for each in self.of_features if isinstance(each, kind))

    def section(self, name: str) -> SettingsSection:
        """Return a section by its name."""
        section: SettingsSection = getattr(self, name) if name in _CORE else self.of(SECTIONS[name])
        return section

    def value(self, name: str) -> object:
        """Return the value of a setting, named "section.key"."""
        section, _, key = name.partition(".")
        return getattr(self.section(section), key)
