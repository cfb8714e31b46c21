"""The steps of a login through a form, and the signs that its session has ended.

Pure: it receives answers and returns requests.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import Enum, auto
from typing import Final

from hinterland.crawler.features.sessions.login_form import LoginForm, find_login_form, passwords_asked
from hinterland.crawler.fetching.access.target import Target, target_of

_MOST_REDIRECTS: Final = 5
_MOST_FAILURES: Final = 3
"""How often a login is tried if the site fails to answer. A login that the site refuses is not tried again."""


@dataclass(frozen=True, slots=True)
class FormLogin:
    """What the settings say about a login.

    `page` is the URL of the form, and `more` are further fields to send, with their values. `success` is a text that
    only pages for logged-in users have, and `ended` is a text that a page has only once the session has ended; "" if
    unknown. `again` is how often the crawl may log in again after the first time.
    """

    at: Target
    page: str
    user: str
    password: str
    user_field: str = ""
    password_field: str = ""
    more: Sequence[tuple[str, str]] = ()
    success: str = ""
    ended: str = ""
    again: int = 3

    def __repr__(self) -> str:
        """Return the login without user and password."""
        return f"FormLogin({self.page!r})"


@dataclass(frozen=True, slots=True)
class LoginRequest:
    """The next request of a login. `form` is sent by POST; None means GET."""

    url: str
    form: str | None = None

    def __repr__(self) -> str:
        """Return the request without the content of its form."""
        return f"LoginRequest({self.url!r}, {'POST' if self.form is not None else 'GET'})"


@dataclass(frozen=True, slots=True)
class LoginAnswer:
    """An answer to a LoginRequest, or to the request for a page.

    `target` is the canonical URL that the answer redirects to; None if it is no redirect. `text` is the body as text.
    """

    status: int
    target: str | None = None
    text: str = ""


class LoginState(Enum):
    """Whether the crawl is logged in. UNCERTAIN means that the session may have ended; the next request will tell."""

    OUT = auto()
    UNCERTAIN = auto()
    IN = auto()
    GIVEN_UP = auto()


class _Step(Enum):
    CHECK = auto()
    FORM = auto()
    SUBMIT = auto()
    FOLLOW = auto()


class Login:
    """The state of one login, and its next request. Mutable."""

    def __init__(self, form_login: FormLogin, *, landing: str = "", forget: Callable[[], None] = lambda: None) -> None:
        """Start logged out, or uncertain if there is a `landing`.

        `landing` is the URL of the page that an earlier run reached by logging in. `forget` is called to delete the
        cookies of an ended session.
        """
        self.of = form_login
        self.landing = landing
        self.state = LoginState.UNCERTAIN if landing else LoginState.OUT
        self.made = 0
        """How often the crawl has logged in."""
        self.ended = 0
        """How often a session had ended."""
        self.problem = ""
        """Why the last attempt failed, in words."""
        self._forget = forget
        self._failures = 0
        self._redirects = 0
        self._step = _Step.CHECK if landing else _Step.FORM
        self._url = landing or form_login.page
        self._form: LoginForm | None = None
        self._last_form: LoginForm | None = None

    @property
    def is_wanted(self) -> bool:
        """Whether requests of the login must be made before further pages of its host."""
        return self.state in (LoginState.OUT, LoginState.UNCERTAIN)

    def request(self) -> LoginRequest:
        """Return the next request."""
        if self._step is _Step.SUBMIT and self._form is not None:
            return LoginRequest(self._form.action, self._form.filled(self.of.user, self.of.password, self.of.more))
        return LoginRequest(self._url)

    def shows_end(self, url: str, answer: LoginAnswer) -> bool:
        """Return whether the answer to the request for a page shows that the session has ended."""
        if answer.status == 401 or (answer.target is not None and self._is_login_page(answer.target)):
            return True
        if self._is_login_page(url):
            return False
        if self.of.ended and self.of.ended in answer.text:
            return True
        return self._is_login_form(url, answer.text)

    def doubt(self) -> None:
        """Note that a page looked as if the session had ended."""
        if self.state is not LoginState.IN:
            return
        self.state = LoginState.UNCERTAIN if self.landing else LoginState.OUT
        self._begin()

    def failed(self) -> None:
        """Note that the site did not answer the last request."""
        self._fail("the site did not answer", is_final=False)

    def answered(self, answer: LoginAnswer) -> None:
        """Take the answer to the last request."""
        match self._step:
            case _Step.CHECK:
                self._check(answer)
            case _Step.FORM:
                self._read_form(answer)
            case _Step.SUBMIT:
                self._submitted(answer)
            case _Step.FOLLOW:
                self._follow(answer)

    # ---------------------------------------------------------------- steps

    def _begin(self) -> None:
        self._redirects = 0
        is_uncertain = self.state is LoginState.UNCERTAIN
        self._step, self._url = (_Step.CHECK, self.landing) if is_uncertain else (_Step.FORM, self.of.page)
        if not is_uncertain:
            self._forget()

    def _check(self, answer: LoginAnswer) -> None:
        if 200 <= answer.status < 300 and not self.shows_end(self.landing, answer) and self._has_success(answer):
            self.state = LoginState.IN
            return
        if answer.status >= 500:
            self._fail(f"the site answered with status {answer.status}", is_final=False)
            return
        self.state = LoginState.OUT
        self.ended += 1
        if self.made > self.of.again:
            self.state = LoginState.GIVEN_UP
            self.problem = f"the session has ended {self.ended} times"
            return
        self._begin()

    def _read_form(self, answer: LoginAnswer) -> None:
        if answer.target is not None:
            self._go_on(_Step.FORM, answer.target)
        elif not 200 <= answer.status < 300:
            self._refused_by(answer)
        elif (form := self._form_of(self._url, answer.text)) is None:
            if self.of.success and self.of.success in answer.text:
                self._is_in(self._url)
            else:
                self._fail(f"{self._url} has no form with a password field")
        elif form.method != "post":
            self._fail(f"the form of {self._url} would send the password as a part of a URL")
        elif not self._is_own(form.action):
            self._fail(f"the form of {self._url} would send the password to another host")
        else:
            self._form = self._last_form = form
            self._step = _Step.SUBMIT

    def _submitted(self, answer: LoginAnswer) -> None:
        assert self._form is not None, "a form was sent"
        action, self._form = self._form.action, None
        self._url = action
        if answer.target is not None:
            self._go_on(_Step.FOLLOW, answer.target)
        else:
            self._judge(answer)

    def _follow(self, answer: LoginAnswer) -> None:
        if answer.target is not None:
            self._go_on(_Step.FOLLOW, answer.target)
        else:
            self._judge(answer)

    def _go_on(self, step: _Step, url: str) -> None:
        self._redirects += 1
        if not self._is_own(url):
            self._fail(f"{self._url} leads to another host")
        elif self._redirects > _MOST_REDIRECTS:
            self._fail(f"more than {_MOST_REDIRECTS} redirects")
        else:
            self._step, self._url = step, url

    def _judge(self, answer: LoginAnswer) -> None:
        if not 200 <= answer.status < 300:
            self._refused_by(answer)
            return
        asked = 0 if self.of.success and self._has_success(answer) else passwords_asked(answer.text)
        if asked > 1:
            self._fail(
                f"{self._url} asks for a new password; the old one may have expired: log in with a browser first"
            )
        elif asked:
            self._fail(f"{self._url} asks for the password again; user or password may be wrong")
        elif not self._has_success(answer):
            self._fail(f"{self._url} does not have the text that proves success")
        else:
            self._is_in(self._url)

    def _refused_by(self, answer: LoginAnswer) -> None:
        is_final = answer.status < 500 and answer.status != 429
        self._fail(f"{self._url} answered with status {answer.status}", is_final=is_final)

    def _is_in(self, landing: str) -> None:
        self.state, self.landing = LoginState.IN, landing
        self.made += 1
        self._failures = 0
        self.problem = ""

    def _fail(self, problem: str, *, is_final: bool = True) -> None:
        self._failures += 1
        self.problem = problem
        if is_final or self._failures >= _MOST_FAILURES:
            self.state = LoginState.GIVEN_UP
        else:
            self._begin()

    # ---------------------------------------------------------------- what pages say

    def _has_success(self, answer: LoginAnswer) -> bool:
        return not self.of.success or self.of.success in answer.text

    def _is_own(self, url: str) -> bool:
        target = target_of(url)
        return target is not None and target.origin == self.of.at.origin

    def _is_login_page(self, url: str) -> bool:
        target = target_of(url)
        return target is not None and target == target_of(self.of.page)

    def _form_of(self, url: str, text: str) -> LoginForm | None:
        if "password" not in text.lower():
            return None
        return find_login_form(text, url, self.of.user_field, self.of.password_field)

    def _is_login_form(self, url: str, text: str) -> bool:
        """Return whether a page has the login form that the crawl has used."""
        last = self._last_form
        if last is None or last.password_field not in text:
            return False
        form = self._form_of(url, text)
        return form is not None and target_of(form.action) == target_of(last.action)
