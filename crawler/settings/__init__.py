"""The settings of a crawl: what can be set, the defaults and their reasons, who overrides whom.

    rules ──► texts, sections ──► layers (load_settings), rendering (settings.toml), stored (JSON)

All of it is pure: texts and mappings come in, frozen values come out.
"""

from __future__ import annotations

from crawler import __version__
from crawler.settings.hinterland_budget import HinterlandBudget
from crawler.settings.layers import EffectiveSettings, load_settings
from crawler.settings.rendering import render_toml
from crawler.settings.rules import SettingsError, toml
from crawler.settings.sections import SECTIONS, Settings
from crawler.settings.sections.fetching import FetchingSettings
from crawler.settings.sections.hinterland import HinterlandSettings
from crawler.settings.sections.identity import IdentitySettings
from crawler.settings.sections.parsing import ParsingSettings
from crawler.settings.sections.policy import PolicySettings
from crawler.settings.sections.politeness import PolitenessSettings
from crawler.settings.sections.rendering import RenderingSettings
from crawler.settings.sections.report import ReportSettings
from crawler.settings.sections.revisits import RevisitSettings
from crawler.settings.sections.robots import RobotsSettings
from crawler.settings.sections.scope import ScopeSettings
from crawler.settings.sections.search import SearchSettings
from crawler.settings.sections.sitemaps import SitemapSettings
from crawler.settings.sections.storage import StorageSettings
from crawler.settings.sections.traps import TrapSettings
from crawler.settings.sections.urls import UrlSettings
from crawler.settings.stored import from_json, to_json

__all__ = [
    "SECTIONS",
    "EffectiveSettings",
    "FetchingSettings",
    "HinterlandBudget",
    "HinterlandSettings",
    "IdentitySettings",
    "ParsingSettings",
    "PolicySettings",
    "PolitenessSettings",
    "RenderingSettings",
    "ReportSettings",
    "RevisitSettings",
    "RobotsSettings",
    "ScopeSettings",
    "SearchSettings",
    "Settings",
    "SettingsError",
    "SitemapSettings",
    "StorageSettings",
    "TrapSettings",
    "UrlSettings",
    "from_json",
    "load_settings",
    "render_toml",
    "to_json",
    "toml",
    "user_agent",
]


def user_agent(identity: IdentitySettings) -> str:
    """What the crawler calls itself in every request: "Hinterland/0.1.0 (+https://you.example/)"."""
    product = f"{identity.name}/{__version__}"
    return f"{product} (+{identity.contact})" if identity.contact else product
