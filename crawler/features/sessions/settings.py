"""Whether the crawl keeps cookies for sites that need them, and how it logs in through forms."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, Final

from hinterland.crawler.fetching.access.secret_names import check_source
from hinterland.crawler.fetching.access.target import prefix_of, target_of
from hinterland.crawler.settings.rules import Complaint, EntriesSection, RowRule, SettingsSection, setting
from hinterland.crawler.settings.texts import check_pattern

AGAIN: Final = 3
"""How often a crawl logs in again, unless an entry says otherwise."""
_MOST_AGAIN: Final = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionSettings(SettingsSection):
    """Cookies for sites that do not answer without them."""

    name_in_file: ClassVar[str] = "sessions"

    cookie_loops: bool = setting(
        True,
        "",
        "Whether to return cookies to a site whose pages redirect to themselves until the visitor returns the cookie "
        "of the site. Otherwise no page of such a site can be read. All other sites get no cookies, unless "
        "`fetching.cookies` is true.",
    )


def check_login(row: Mapping[str, str]) -> None:
    """Check an entry. Raises Complaint, which quotes nothing that may be a secret."""
    at = prefix_of(row.get("at", ""))
    if at is None:
        raise Complaint(
            'write in `at` a host, such as "wiki.example", or the beginning of URLs: "https://wiki.example/team/"'
        )
    page = target_of(row.get("page", ""))
    if page is None:
        raise Complaint(f"the entry for {row['at']} needs in `page` the URL of its login form")
    if page.origin != at.origin:
        raise Complaint(f"the entry for {row['at']} has a login form on another host, which is not supported")
    for key in ("user", "password"):
        if key not in row:
            raise Complaint(f"the entry for {row['at']} lacks `{key}`")
        check_source(row[key])
    again = row.get("again", f"{AGAIN}")
    if not again.isdecimal() or int(again) > _MOST_AGAIN:
        raise Complaint(f'`again` has to be a number from "0" to "{_MOST_AGAIN}"')
    if "never" in row:
        check_pattern(row["never"])


_ROW: Final = RowRule(
    columns={
        "at": "a host (with https:// and its usual port), or the beginning of URLs",
        "page": "the URL of the page with the login form, on the same host",
        "user": "where the user's name is",
        "password": "where the password is",
        "user_field": "the name of the form's field for the user (default: the last text field before the password)",
        "password_field": "the name of the form's field for the password (default: its only password field)",
        "fields": 'further fields, such as "realm=staff&remember=1"',
        "success": "a text that only pages for logged-in users have, such as the name of the user",
        "ended": "a text that a page has once the session has ended, if it has no login form",
        "again": f'how often to log in again after a session has ended (default: "{AGAIN}")',
        "never": "a regular expression for URLs never to request (default: those that log out or delete)",
    },
    open_columns=("at", "page", "user_field", "password_field", "success", "ended", "again", "never"),
    example={
        "at": "https://wiki.example/",
        "page": "https://wiki.example/login",
        "user": "env:WIKI_USER",
        "password": "file:/home/me/.secrets/wiki",
        "success": "Sign out",
    },
    check=check_login,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class LoginSettings(EntriesSection):
    """Logins through forms. They are never written to a store, an archive or a log."""

    name_in_file: ClassVar[str] = "logins"

    entries: Sequence[Mapping[str, str]] = setting(
        (),
        "an entry for each",
        "Before the crawl visits the first page of a host with an entry, it requests the form, fills it in and sends "
        "it, as politely as it requests pages. It does so again when a page shows that the session has ended. Say "
        "where the user and the password are in the same way as in [[credentials]]: env:NAME, file:PATH or "
        "command:PROGRAM ARGUMENTS.",
        row=_ROW,
    )
