"""Reads the credentials that the settings name."""

from __future__ import annotations

import logging
import ssl
import time
from base64 import b64encode
from collections.abc import Iterable, Mapping, Sequence

from hinterland.crawler.features.credentials.cookie_file import NoCookieFile, read_cookie_file
from hinterland.crawler.features.credentials.credentials import Credential, FileCookie
from hinterland.crawler.fetching.access.access import ClientCertificate
from hinterland.crawler.fetching.access.secret_sources import SecretUnusable, hide, private_file, read_secret
from hinterland.crawler.fetching.access.target import Target, prefix_of
from hinterland.crawler.settings.rules import Complaint
from hinterland.crawler.settings.texts import check_header_value

_LOG = logging.getLogger(__name__)


def read_credentials(entries: Iterable[Mapping[str, str]]) -> list[Credential]:
    """Return the credentials of entries that have been checked. Raises SecretUnusable."""
    return [_read(entry) for entry in entries]


def _read(entry: Mapping[str, str]) -> Credential:
    at, what = prefix_of(entry["at"]), f"the credentials for {entry['at']}"
    assert at is not None, "entries are checked"
    networks = tuple(entry.get("networks", "").replace(",", " ").split())
    if "certificate" in entry:
        return Credential(at, "certificate", certificate=_certificate(entry, what), networks=networks)
    if "cookies" in entry:
        cookies = _cookies(private_file(entry["cookies"], what), entry["cookies"], what)
        _warn_of_age(cookies, at, entry["cookies"], time.time())
        return Credential(at, "cookies", cookies=cookies, networks=networks)
    if "basic" in entry:
        pair = read_secret(entry["basic"], what)
        _, colon, password = pair.partition(":")
        if not colon:
            raise SecretUnusable(f'{what}: expected "user:password", but there is no ":"')
        hide(password)
        token = b64encode(pair.encode("utf-8", "surrogateescape")).decode()
        return Credential(at, "basic", ("Authorization", f"Basic {token}"), networks=networks)
    if "bearer" in entry:
        token = _one_line(read_secret(entry["bearer"], what), what)
        return Credential(at, "bearer", ("Authorization", f"Bearer {token}"), networks=networks)
    value = _one_line(read_secret(entry["value"], what), what)
    return Credential(at, "header", (entry["header"], value), networks=networks)


def _one_line(value: str, what: str) -> str:
    try:
        check_header_value(value)
    except Complaint as complaint:
        raise SecretUnusable(f"{what}: {complaint}") from None
    return value


def _certificate(entry: Mapping[str, str], what: str) -> ClientCertificate:
    certificate, key = entry["certificate"], entry.get("key", "")
    private_file(key or certificate, what)
    password = read_secret(entry["password"], what) if "password" in entry else ""
    try:
        ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT).load_cert_chain(certificate, key or None, password)
    except (ssl.SSLError, OSError) as error:
        raise SecretUnusable(f"{what}: {certificate} cannot be used: {error.strerror or error}") from None
    return ClientCertificate(certificate, key, password)


def _warn_of_age(cookies: Iterable[FileCookie], at: Target, path: str, now: float) -> None:
    """Warn if a file has no cookies for a host, or only expired ones."""
    own = [cookie for cookie in cookies if cookie.is_of(at.host)]
    if not own:
        _LOG.warning("%s has no cookies for %s, so none are sent there", path, at.origin)
    elif all(cookie.until <= now for cookie in own):
        last = time.strftime("%Y-%m-%d", time.gmtime(max(cookie.until for cookie in own)))
        _LOG.warning(
            "all cookies of %s for %s have expired, the last one on %s, so none are sent: log in with a browser, and"
            " export its cookies again", path, at.origin, last,
        )  # fmt: skip


def _cookies(data: bytes, path: str, what: str) -> Sequence[FileCookie]:
    try:
        found = read_cookie_file(data.decode("utf-8", "surrogateescape"))
    except NoCookieFile as error:
        raise SecretUnusable(f"{what}: {path} is not a cookie file in Netscape format: {error}") from None
    if not found:
        raise SecretUnusable(f"{what}: {path} has no cookies")
    for cookie in found:
        hide(cookie.value)
        _one_line(cookie.value, what)
    return found
