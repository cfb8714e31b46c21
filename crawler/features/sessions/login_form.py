"""Finds the login form of a page: what to send back besides user and password, and where. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from html.parser import HTMLParser
from typing import Final
from urllib.parse import urlencode, urljoin

_MOST_CHARACTERS: Final = 1_000_000
_MOST_FIELDS: Final = 200
_TEXT_TYPES: Final = frozenset({"", "text", "email", "tel", "url", "search"})
_SENT_TYPES: Final = frozenset({*_TEXT_TYPES, "hidden", "number", "date", "password", "checkbox", "radio"})


@dataclass(frozen=True, slots=True)
class LoginForm:
    """A form that asks for a password.

    `action` is the absolute URL to which the form is sent, by `method`, in lower case. `pairs` are its other fields
    with their values, among them tokens that the site expects back.
    """

    action: str
    method: str
    user_field: str
    password_field: str
    pairs: Sequence[tuple[str, str]]

    def filled(self, user: str, password: str, more: Sequence[tuple[str, str]] = ()) -> str:
        """Return the content of the form to send; each field in `more` replaces the form's field of the same name."""
        replaced = {name for name, _ in more}
        pairs = [pair for pair in self.pairs if pair[0] not in replaced]
        login = [(self.user_field, user)] if self.user_field else []
        return urlencode([*pairs, *more, *login, (self.password_field, password)], errors="surrogateescape")


@dataclass(slots=True)
class _Form:
    action: str
    method: str
    inputs: list[tuple[str, str, str, bool]] = field(default_factory=list)  # type, name, value, is it on


class _Forms(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.found: list[_Form] = []
        self._is_in_form = False
        self.base = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        if tag == "base" and not self.base:
            self.base = given.get("href", "")
        elif tag == "form":
            self.found.append(_Form(given.get("action", ""), given.get("method", "get").strip().lower()))
            self._is_in_form = True
        elif self._is_in_form and tag in ("input", "button") and len(self.found[-1].inputs) < _MOST_FIELDS:
            kind = given.get("type", "submit" if tag == "button" else "").strip().lower()
            is_on = "checked" in given or kind not in ("checkbox", "radio")
            default = "on" if kind == "checkbox" else ""
            self.found[-1].inputs.append((kind, given.get("name", ""), given.get("value", default), is_on))

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)

    def handle_endtag(self, tag: str) -> None:
        if tag == "form":
            self._is_in_form = False


def passwords_asked(html: str) -> int:
    """Return the largest number of password fields in a form of the page; 0 for a page without any."""
    parser = _Forms()
    parser.feed(html[:_MOST_CHARACTERS])
    return max((sum(kind == "password" for kind, *_ in form.inputs) for form in parser.found), default=0)


def find_login_form(html: str, url: str, user_field: str = "", password_field: str = "") -> LoginForm | None:
    """Return the first form with a password field on the page at `url`; None if there is none.

    `user_field` and `password_field` are the names of the form's fields, "" to guess them. The guess for the user is
    the last text field before the password. A form with two password fields sets a new password, so it is no login
    form.
    """
    parser = _Forms()
    parser.feed(html[:_MOST_CHARACTERS])
    for form in parser.found:
        passwords = [name for kind, name, _, _ in form.inputs if kind == "password" and name]
        password = password_field or (passwords[0] if len(passwords) == 1 else "")
        if password not in passwords:
            continue
        place = next(place for place, each in enumerate(form.inputs) if each[1] == password)
        texts = [name for kind, name, _, _ in form.inputs[:place] if kind in _TEXT_TYPES and name]
        user = user_field or (texts[-1] if texts else "")
        pairs = [
            (name, value)
            for kind, name, value, is_on in form.inputs
            if name and is_on and name not in (user, password) and kind in _SENT_TYPES
        ]
        pairs += [(name, value) for kind, name, value, _ in form.inputs if kind == "submit" and name][:1]
        action = urljoin(urljoin(url, parser.base), form.action) if form.action else url
        return LoginForm(action, form.method, user, password, pairs)
    return None
