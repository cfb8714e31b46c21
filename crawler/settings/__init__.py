"""The settings of a crawl: keys, defaults with their reasons, and the order in which layers override each other.

    rules ──► texts, sections ──► layers (load_settings), rendering (settings.toml), stored (JSON)

The section of a feature is in the feature's folder; `sections` finds it there.

Everything here is pure: texts and mappings come in, frozen values come out.
"""

from __future__ import annotations

from hinterland.crawler import __version__
from hinterland.crawler.settings.layers import EffectiveSettings, load_settings
from hinterland.crawler.settings.rendering import render_toml
from hinterland.crawler.settings.rules import SettingsError, toml
from hinterland.crawler.settings.sections import SECTIONS, Settings
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
from hinterland.crawler.settings.stored import from_json, to_json

__all__ = [
    "SECTIONS",
    "EffectiveSettings",
    "FetchingSettings",
    "IdentitySettings",
    "ParsingSettings",
    "PolicySettings",
    "PolitenessSettings",
    "ReportSettings",
    "RobotsSettings",
    "ScopeSettings",
    "SearchSettings",
    "Settings",
    "SettingsError",
    "StorageSettings",
    "UrlSettings",
    "from_json",
    "load_settings",
    "render_toml",
    "to_json",
    "toml",
    "user_agent",
]


def user_agent(identity: IdentitySettings) -> str:
    """Return the User-Agent of every request: "Hinterland/0.1.0 (+https://you.example/)"."""
    product = f"{identity.name}/{__version__}"
    return f"{product} (+{identity.contact})" if identity.contact else product
