"""The feature of the crawl loop that logs in before it requests a host's pages, and again after a session has ended."""

from __future__ import annotations

import asyncio
import logging
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, Final
from urllib.parse import parse_qsl

from hinterland.crawler.features.sessions.jars import CookieJars
from hinterland.crawler.features.sessions.kept_sessions import (
    KeptSession,
    read_sessions,
    sessions_file,
    write_sessions,
)
from hinterland.crawler.features.sessions.leaving_links import pattern_of
from hinterland.crawler.features.sessions.login import FormLogin, Login, LoginState
from hinterland.crawler.features.sessions.login_visits import LoginVisits, login_answer
from hinterland.crawler.features.sessions.settings import AGAIN, LoginSettings, SessionSettings
from hinterland.crawler.fetching.access.secret_sources import SecretUnusable, read_secret
from hinterland.crawler.fetching.access.target import prefix_of, target_of
from hinterland.crawler.loop.crawl_start import CrawlRequest, CrawlStart, FeatureFactory, FeatureUnusable
from hinterland.crawler.loop.decisions.feature import Feature
from hinterland.crawler.loop.decisions.moments import Ended, HostTaskRunner, ReadPage
from hinterland.crawler.loop.workings import Workings
from hinterland.crawler.settings import Settings
from hinterland.crawler.urls.hosts import host_of
from hinterland.storage.link_store import LinkStore

_LOG = logging.getLogger(__name__)
_SAVE_SECONDS: Final = 0.5
_MOST_COUNTED: Final = 100_000
_ASKER: Final = "logins"
"""The name under which the frontier is asked for requests."""


class KeepsSessions(Feature):
    """Logs in, notices when a session has ended, and keeps the session's cookies in a file next to the store."""

    def __init__(self, jars: CookieJars, sessions: Mapping[str, KeptSession], file: Path, never: Sequence[str]) -> None:
        """Continue from the kept sessions of earlier runs; `never` are patterns of URLs that are not followed."""
        self._jars = jars
        self._file = file
        self._never = [re.compile(pattern) for pattern in never]
        self._not_followed = set[str]()
        self._doubted = set[int]()
        self._sent = set[str]()
        self._is_changed = False
        self._logins: dict[str, Login] = {}
        for each in jars.logins:
            origin, kept = each.at.origin, sessions.get(each.at.origin)
            if kept is not None:
                jars.restore(origin, kept.jar())
            landing = "" if kept is None else kept.landing
            self._logins[host_of(each.page)] = Login(each, landing=landing, forget=partial(jars.forget, origin))

    def open(self, workings: Workings) -> None:
        """Connect to the crawl."""
        self._workings = workings
        self._frontier = workings.components.frontier
        self._known = workings.components.known
        self._visits = LoginVisits(self._logins, workings, self._request_ended)

    @property
    def tasks(self) -> Mapping[str, HostTaskRunner]:
        """The object that makes the requests of logins."""
        return {_ASKER: self._visits}

    def send_due(self, now: float) -> float | None:
        """Queue the next request of each login that is needed, ahead of the pages of its host."""
        for host, login in self._logins.items():
            if not login.is_wanted or host in self._sent:
                continue
            number = self._known.find_host(host)
            if number is None:
                continue
            # robots.txt may lie behind the login, too
            if self._frontier.ask_file(number, login.of.page, now, _ASKER, needs_robots=False, is_first=True):
                self._sent.add(host)
        return None

    async def asks_again(self, read: ReadPage) -> bool:
        """Return whether to request a page again because its session had ended."""
        login = self._logins.get(host_of(read.url))
        target = target_of(read.url)
        if login is None or target is None or not target.is_under(login.of.at):
            return False
        if login.state is LoginState.GIVEN_UP or read.visit.page in self._doubted:
            return False
        answer = login_answer(read.answer, read.url, self._workings.components.canonicaliser)
        if not login.shows_end(read.url, answer):
            return False
        if len(self._doubted) < _MOST_COUNTED:
            self._doubted.add(read.visit.page)
        login.doubt()
        return True

    def read(self, ended: Ended) -> None:
        """Count links that are not followed."""
        page = None if ended.digest is None else ended.digest.page
        if page is None or host_of(ended.url) not in self._logins or len(self._not_followed) >= _MOST_COUNTED:
            return
        for url in page.link_urls:
            if any(pattern.search(url) for pattern in self._never):
                self._not_followed.add(url)

    def statistics(self, now: float, waiting: int) -> Mapping[str, Any]:
        """Return the numbers of logins made, of sessions ended, of logins given up, and of links not followed."""
        logins = self._logins.values()
        return {
            "logins": {
                "made": sum(login.made for login in logins),
                "ended": sum(login.ended for login in logins),
                "given_up": sum(login.state is LoginState.GIVEN_UP for login in logins),
                "not_followed": len(self._not_followed),
            }
        }

    async def beside(self) -> None:
        """Write changed sessions to their file, until cancelled."""
        while True:
            await asyncio.sleep(_SAVE_SECONDS)
            await self._save()

    async def finish(self) -> None:
        """Write the sessions a last time."""
        await self._save()
        if count := len(self._not_followed):
            _LOG.warning("%d links that would log out or delete something were not followed", count)

    async def _save(self) -> None:
        if not (self._is_changed or self._jars.is_changed):
            return
        self._is_changed = self._jars.is_changed = False
        kept = {
            login.of.at.origin: KeptSession.of(login.landing, self._jars.jar(login.of.at.origin))
            for login in self._logins.values()
            if login.landing
        }
        try:
            await asyncio.to_thread(write_sessions, self._file, kept)
        except OSError as error:
            _LOG.warning("the sessions cannot be saved in %s: %s", self._file, error)

    def _request_ended(self, host: str) -> None:
        self._sent.discard(host)
        self._is_changed = True


class SessionsFactory(FeatureFactory):
    """Adds cookie jars to crawls that may need them, and the feature to crawls with logins."""

    counters = ("logins",)

    def require(self, settings: Settings) -> None:
        """Check that passwords are sent only to hosts with a verified certificate. Raises FeatureUnusable."""
        if _entries(settings) and not settings.fetching.verify_tls:
            raise FeatureUnusable(
                "[[logins]] are not used while fetching.verify_tls is false, because another machine could pose as the"
                " host and read the passwords; name the certificate authority of your hosts in fetching.ca_file instead"
            )

    async def prepare(self, request: CrawlRequest, store: LinkStore) -> CrawlRequest:
        """Exclude the URLs that a crawl with a login must not request."""
        settings = request.settings
        if not _entries(settings):
            return request
        exclude = dict.fromkeys((*settings.scope.exclude, *_patterns(settings)))
        scope = replace(settings.scope, exclude=tuple(exclude))
        return replace(request, settings=settings.with_sections({"scope": scope}))

    def access(self, request: CrawlRequest) -> CookieJars | None:
        """Return the jars, with the logins. Raises FeatureUnusable if a secret cannot be read."""
        settings, entries = request.settings, _entries(request.settings)
        if not (entries or settings.fetching.cookies or settings.of(SessionSettings).cookie_loops):
            return None
        try:
            logins = [_read(entry) for entry in entries]
        except SecretUnusable as error:
            raise FeatureUnusable(str(error)) from None
        return CookieJars(keeps_all=settings.fetching.cookies, logins=logins)

    async def make(self, start: CrawlStart) -> KeepsSessions | None:
        """Return the feature, with the sessions of earlier runs."""
        jars = start.provider.find(CookieJars)
        if jars is None or not jars.logins:
            return None
        file = sessions_file(start.store.path)
        try:
            sessions = await asyncio.to_thread(read_sessions, file)
        except SecretUnusable as error:
            raise FeatureUnusable(str(error)) from None
        return KeepsSessions(jars, sessions, file, _patterns(start.settings))


def _entries(settings: Settings) -> Sequence[Mapping[str, str]]:
    return settings.of(LoginSettings).entries


def _patterns(settings: Settings) -> list[str]:
    found = []
    for entry in _entries(settings):
        at = prefix_of(entry["at"])
        assert at is not None, "entries are checked"
        found.append(pattern_of(at, entry.get("never", "")))
    return found


def _read(entry: Mapping[str, str]) -> FormLogin:
    at, what = prefix_of(entry["at"]), f"the login at {entry['at']}"
    assert at is not None, "entries are checked"
    return FormLogin(
        at=at,
        page=entry["page"],
        user=read_secret(entry["user"], what, is_hidden=False),
        password=read_secret(entry["password"], what),
        user_field=entry.get("user_field", ""),
        password_field=entry.get("password_field", ""),
        more=parse_qsl(entry.get("fields", ""), keep_blank_values=True),
        success=entry.get("success", ""),
        ended=entry.get("ended", ""),
        again=int(entry.get("again", AGAIN)),
    )
