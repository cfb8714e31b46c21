"""Who runs the crawler."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from hinterland.crawler.settings import texts
from hinterland.crawler.settings.rules import Complaint, SettingsSection, setting


@dataclass(frozen=True, slots=True, kw_only=True)
class IdentitySettings(SettingsSection):
    """Who runs the crawler. Sites see this in every request and in their logs."""

    name_in_file: ClassVar[str] = "identity"

    name: str = setting(
        "Hinterland",
        "product name",
        "The product name in the User-Agent, and the name by which robots.txt rules for this crawler are found.",
        check=texts.check_product_name,
    )
    contact: str = setting(
        "",
        "URL or mailto: address",
        "How a site's owner can reach you; it becomes part of the User-Agent. Empty by default, since only you can "
        "fill it in. A crawl of public hosts prints a warning if it is empty.",
        check=texts.check_contact,
    )

    def _check_together(self) -> None:
        if not self.name:
            raise Complaint('name = "": a crawler needs a name; the default is "Hinterland"')
