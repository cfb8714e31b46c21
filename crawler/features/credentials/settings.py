"""Settings of logins: which hosts require a login, and where its secret is kept."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from ipaddress import ip_network
from typing import ClassVar, Final

from hinterland.crawler.fetching.access.secret_names import check_source
from hinterland.crawler.fetching.access.target import prefix_of
from hinterland.crawler.settings.rules import Complaint, EntriesSection, RowRule, one_of, setting
from hinterland.crawler.settings.texts import check_header, check_path

KINDS: Final = ("bearer", "basic", "header", "certificate", "cookies")
"""The kinds of credentials; an entry has exactly one."""
_SENT_OTHERWISE: Final = ("authorization", "cookie", "proxy-authorization")


def check_credential(row: Mapping[str, str]) -> None:
    """Check an entry. Raises Complaint, which quotes nothing that may be a secret."""
    at = row.get("at", "")
    prefix = prefix_of(at)
    if prefix is None:
        raise Complaint(
            'write in `at` a host, such as "wiki.example", or the beginning of URLs: "https://wiki.example/team/"'
        )
    kinds = [kind for kind in KINDS if kind in row]
    if len(kinds) != 1:
        raise Complaint(f"the entry for {at} needs exactly one of {one_of(KINDS)}")
    for key in ("bearer", "basic", "value", "password"):
        if key in row:
            check_source(row[key])
    for key in ("certificate", "key", "cookies"):
        check_path(row.get(key, ""))
    for key, kind in (("value", "header"), ("key", "certificate"), ("password", "certificate")):
        if key in row and kind not in row:
            raise Complaint(f"the entry for {at} has `{key}`, which is only used with `{kind}`")
    _check_header(row, at)
    if "certificate" in row and not prefix.is_encrypted:
        raise Complaint(f"the entry for {at} has a `certificate`, which is only used with https://")
    for network in filter(None, row.get("networks", "").replace(",", " ").split()):
        try:
            ip_network(network)
        except ValueError:
            raise Complaint(f'"{network}" is not a network, such as "10.1.0.0/16"') from None


def _check_header(row: Mapping[str, str], at: str) -> None:
    if "header" not in row:
        return
    if "value" not in row:
        raise Complaint(f"the entry for {at} has a `header` without its `value`")
    if row["header"].lower() in _SENT_OTHERWISE:
        raise Complaint(f"write the entry for {at} with `basic`, `bearer` or `cookies` instead of this header")
    check_header(row["header"], "")


_ROW: Final = RowRule(
    columns={
        "at": "a host (with https:// and its usual port), or the beginning of URLs",
        "bearer": "where the token is",
        "basic": 'where the user and password are, as "user:password"',
        "header": "the name of a header field",
        "value": "where the value of that header field is",
        "certificate": "a PEM file with the certificate of this client",
        "key": "a PEM file with the private key of the certificate, unless both are in one file",
        "password": "where the password of the private key is",
        "cookies": "a cookie file as browsers export it (Netscape format)",
        "networks": "the only networks of IP addresses to which the login may be sent, separated by commas",
    },
    open_columns=("at", "header", "networks"),
    example={"at": "https://wiki.example/", "bearer": "env:WIKI_TOKEN"},
    check=check_credential,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class CredentialSettings(EntriesSection):
    """Logins for single hosts. They are never written to a store, an archive or a log."""

    name_in_file: ClassVar[str] = "credentials"

    entries: Sequence[Mapping[str, str]] = setting(
        (),
        "an entry for each",
        "Each entry is sent only to its own scheme, host and port, and only to URLs that begin with `at`. Do not write "
        "the secret itself here, but where it is: env:NAME for a variable, file:PATH for a file that nobody else can "
        "read, or command:PROGRAM ARGUMENTS for what a program prints. A crawl that is resumed needs the entries "
        "again, since stores do not keep them.",
        row=_ROW,
    )
