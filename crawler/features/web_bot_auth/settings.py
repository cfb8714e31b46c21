"""Which requests are signed, and with which key."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from hinterland.crawler.fetching.access.host_patterns import check_host_pattern
from hinterland.crawler.fetching.access.target import target_of
from hinterland.crawler.settings.rules import Complaint, SettingsSection, setting
from hinterland.crawler.settings.texts import check_path


def check_agent(text: str) -> None:
    """Check that a text is an https origin without a path."""
    target = target_of(text)
    if target is None or not target.is_encrypted or target.path != "/" or "?" in text:
        raise Complaint('write the origin of your key directory, such as "https://crawler.example", without a path')


@dataclass(frozen=True, slots=True, kw_only=True)
class WebBotAuthSettings(SettingsSection):
    """Signatures by which sites can verify the crawler (RFC 9421, with the profile Web Bot Auth)."""

    name_in_file: ClassVar[str] = "signatures"

    key: str = setting(
        "",
        "path; empty: sign nothing",
        "The private key that `identity new` has made. A file that others can read is refused. A new key in the same "
        "file is used within five minutes, also by a running crawl.",
        check=check_path,
    )
    agent: str = setting(
        "",
        "https:// origin",
        "Where you serve the directory of public keys that `identity publish` makes. Sites read it there.",
        check=check_agent,
    )
    hosts: tuple[str, ...] = setting(
        (),
        'names; "*.a.example" means all hosts below a name, "*" every host',
        "Hosts whose requests are signed from the first one on. Empty, since a signature ties all crawls with the same "
        "key together, and most sites do not ask for one.",
        check=check_host_pattern,
    )
    challenged: bool = setting(
        True,
        "",
        "Whether to sign requests to a host once the host has asked for signatures (Accept-Signature).",
    )

    def _check_together(self) -> None:
        if self.key and not self.agent:
            raise Complaint('agent = "": it is needed with a key; write the origin of your key directory')
