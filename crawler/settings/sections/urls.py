"""Rules for when two URLs are the same page."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from hinterland.crawler.settings import texts
from hinterland.crawler.settings.rules import SettingsSection, setting

TRACKING_PARAMETERS = (
    "utm_*", "mtm_*", "pk_*", "gclid", "gclsrc", "dclid", "gbraid", "wbraid", "fbclid", "msclkid",
    "twclid", "ttclid", "yclid", "igshid", "mc_cid", "mc_eid", "mkt_tok", "vero_id", "_ga", "_gl",
    "_hsenc", "_hsmi", "oly_anon_id", "oly_enc_id",
)  # fmt: skip
SESSION_PARAMETERS = ("PHPSESSID", "jsessionid", "ASPSESSIONID*", "CFID", "CFTOKEN")


@dataclass(frozen=True, slots=True, kw_only=True)
class UrlSettings(SettingsSection):
    """When two URLs count as the same page. Changing these in the middle of a crawl makes some pages appear twice."""

    name_in_file: ClassVar[str] = "urls"
    is_kept: ClassVar[bool] = True

    sort_parameters: bool = setting(
        False,
        "",
        "Whether to sort query parameters, so that ?a=1&b=2 and ?b=2&a=1 are one page. Off, since the order matters "
        "to some servers.",
    )
    drop_parameters: tuple[str, ...] = setting(
        TRACKING_PARAMETERS + SESSION_PARAMETERS,
        'names; "*" at the end stands for any ending',
        "Query parameters that track the visitor without changing the page. If they were kept, each page would have "
        "endless copies.",
        check=texts.check_parameter,
    )
