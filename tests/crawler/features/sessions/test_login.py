"""A login by form: what is sent where, how the crawl sees that it is in, and that it is out again."""

from __future__ import annotations

import dataclasses
import re
from typing import Any
from urllib.parse import parse_qs

import pytest

from hinterland.crawler.features.sessions.leaving_links import pattern_of
from hinterland.crawler.features.sessions.login import FormLogin, Login, LoginAnswer, LoginState
from hinterland.crawler.features.sessions.login_form import find_login_form
from hinterland.crawler.features.sessions.settings import LoginSettings
from hinterland.crawler.fetching.access.target import Target
from hinterland.crawler.settings import SettingsError

AT = "https://a.example/"
PAGE = f"{AT}login"
FORM = """<form method=POST action="/do?x=1"><input type=hidden name=token value="t&amp;1"><input name=email>
<input type=password name=pw><input type=checkbox name=stay checked><input type=checkbox name=no>
<button name=go value=1>in</button><input type=submit name=other value=2></form>"""
NEW_PASSWORD = "<form method=post><input type=password name=new><input type=password name=again></form>"


def form_login(**changes: Any) -> FormLogin:
    login = FormLogin(Target("https", "a.example", 443, "/"), PAGE, "alice", "s3cret &")
    return dataclasses.replace(login, **changes)


def logged_in(**changes: Any) -> Login:
    login = Login(form_login(**changes))
    login.answered(LoginAnswer(200, text=FORM))
    login.answered(LoginAnswer(303, f"{AT}home"))
    login.answered(LoginAnswer(200, text="Sign out"))
    assert login.state is LoginState.IN
    return login


def test_what_a_browser_would_send_is_sent() -> None:
    form = find_login_form(FORM, PAGE)
    assert form is not None
    assert form.action == f"{AT}do?x=1"
    sent = parse_qs(form.filled("alice", "s3cret &", [("stay", "no")]), strict_parsing=True)
    assert sent == {"token": ["t&1"], "stay": ["no"], "go": ["1"], "email": ["alice"], "pw": ["s3cret &"]}


@pytest.mark.parametrize(
    "html, fields",
    [
        ("<form><input type=password name=p></form>", ("", "p")),
        ("<form><input name=q></form><form method=post><input name=u><input type=password name=p></form>", ("u", "p")),
        ("<form><input type=password name=a><input type=password name=b></form>", None),  # sets a new one
        ("<input type=password name=p>", None),
        ("<form><input type=password></form>", None),
        ("<p>password", None),
        ("<form><input name=u><input type=password name=p>" + "<form><div>" * 1000, ("u", "p")),
    ],
)
def test_the_form_is_the_one_that_asks_for_one_password(html: str, fields: tuple[str, str] | None) -> None:
    form = find_login_form(html, PAGE)
    assert (form and (form.user_field, form.password_field)) == fields


def test_fields_that_the_settings_name_are_not_guessed() -> None:
    html = "<form><input name=a><input name=b><input type=password name=p><input type=password name=q></form>"
    form = find_login_form(html, PAGE, "a", "q")
    assert form is not None
    assert (form.user_field, form.password_field) == ("a", "q")


def test_a_login_asks_for_the_form_sends_it_and_looks_at_where_it_lands() -> None:
    login = Login(form_login())
    assert (login.request().url, login.request().form) == (PAGE, None)
    login.answered(LoginAnswer(200, text=FORM))
    assert login.request().url == f"{AT}do?x=1"
    assert "s3cret+%26" in (login.request().form or "")
    login.answered(LoginAnswer(303, f"{AT}home"))
    assert (login.request().url, login.request().form) == (f"{AT}home", None)
    login.answered(LoginAnswer(200, text="Hello"))
    assert (login.state, login.landing, login.made) == (LoginState.IN, f"{AT}home", 1)
    assert "s3cret" not in f"{login.of!r} {login.request()!r}"


@pytest.mark.parametrize(
    "answers, problem",
    [
        ([LoginAnswer(200, text=FORM), LoginAnswer(200, text=FORM)], "asks for the password again"),
        ([LoginAnswer(200, text=FORM), LoginAnswer(303, PAGE), LoginAnswer(200, text=FORM)], "asks for the password"),
        ([LoginAnswer(200, text=FORM), LoginAnswer(200, text=NEW_PASSWORD)], "the old one may have expired"),
        ([LoginAnswer(200, text=FORM), LoginAnswer(403)], "answered with status 403"),
        ([LoginAnswer(200, text="<p>hello")], "no form with a password field"),
        ([LoginAnswer(404)], "status 404"),
        ([LoginAnswer(302, "https://sso.example/login")], "leads to another host"),
        ([LoginAnswer(302, "http://a.example/login")], "leads to another host"),
        ([LoginAnswer(200, text=FORM.replace("/do", "https://evil.example/"))], "the password to another host"),
        ([LoginAnswer(200, text=FORM.replace("/do", "http://a.example/"))], "the password to another host"),
        ([LoginAnswer(200, text=FORM.replace("POST", "GET"))], "as a part of a URL"),
        ([LoginAnswer(200, text=FORM), *[LoginAnswer(302, f"{AT}x")] * 7], "more than 5 redirects"),
    ],
)
def test_a_login_that_is_refused_is_not_tried_again(answers: list[LoginAnswer], problem: str) -> None:
    login = Login(form_login())
    for answer in answers:
        if login.is_wanted:
            login.answered(answer)
    assert login.state is LoginState.GIVEN_UP
    assert problem in login.problem
    assert login.made == 0


def test_a_login_that_the_site_cannot_answer_is_tried_three_times() -> None:
    login = Login(form_login())
    for _ in range(3):
        assert login.is_wanted
        assert login.request().url == PAGE
        login.answered(LoginAnswer(503))
    assert login.state is LoginState.GIVEN_UP


def test_the_text_that_proves_success_decides() -> None:
    assert logged_in(success="Sign out").made == 1
    login = Login(form_login(success="Sign out"))
    login.answered(LoginAnswer(200, text=FORM))
    login.answered(LoginAnswer(200, text="Welcome, guest"))
    assert login.problem.endswith("does not have the text that proves success")


@pytest.mark.parametrize(
    "answer, is_end",
    [
        (LoginAnswer(302, f"{PAGE}?next=/1"), True),
        (LoginAnswer(302, f"{AT}2"), False),
        (LoginAnswer(401), True),
        (LoginAnswer(403), False),
        (LoginAnswer(200, text=FORM), True),
        (LoginAnswer(200, text=FORM.replace("/do", "/change-password")), False),
        (LoginAnswer(200, text="Your password: see the manual"), False),
        (LoginAnswer(200, text="Your session has expired"), True),
    ],
)
def test_a_page_shows_that_the_session_has_ended(answer: LoginAnswer, is_end: bool) -> None:
    assert logged_in(ended="session has expired").shows_end(f"{AT}1", answer) is is_end


def test_a_page_that_is_refused_to_us_does_not_cost_a_login() -> None:
    login = logged_in()
    login.doubt()
    assert (login.state, login.request().url) == (LoginState.UNCERTAIN, f"{AT}home")
    login.answered(LoginAnswer(200, text="Sign out"))
    assert (login.state, login.made, login.ended) == (LoginState.IN, 1, 0)


def test_a_session_that_has_ended_is_forgotten_and_made_anew_at_most_so_often() -> None:
    forgotten = 0

    def forget() -> None:
        nonlocal forgotten
        forgotten += 1

    login = Login(form_login(again=2), forget=forget)
    for _ in range(3):
        login.answered(LoginAnswer(200, text=FORM))
        login.answered(LoginAnswer(200, text="in"))
        assert login.state is LoginState.IN
        login.doubt()
        login.answered(LoginAnswer(302, PAGE))
    assert (login.state, login.made, login.ended) == (LoginState.GIVEN_UP, 3, 3)
    assert forgotten == 2


def test_a_kept_session_is_tried_before_a_new_login() -> None:
    login = Login(form_login(), landing=f"{AT}home")
    assert login.request().url == f"{AT}home"
    login.answered(LoginAnswer(200, text="Hello"))
    assert (login.state, login.made) == (LoginState.IN, 0)


@pytest.mark.parametrize(
    "path, is_left",
    [
        ("logout", True),
        ("user/log-out.php?x=1", True),
        ("pages/12/delete", True),
        ("pages/12/delete?confirm=1", True),
        ("?do=logout", True),
        ("w/index.php?title=X&action=delete", True),
        ("api;signOut", True),
        ("manual/sql-delete.html", False),
        ("deleted", False),
        ("blog/how-to-log-out-of-it", False),
        ("?q=deletes", False),
    ],
)
def test_links_that_log_out_or_delete_are_known(path: str, is_left: bool) -> None:
    pattern = re.compile(pattern_of(Target("https", "a.example", 443, "/")))
    assert (pattern.search(f"{AT}{path}") is not None) is is_left
    assert pattern.search(f"https://b.example/{path}") is None
    assert re.search(pattern_of(Target("https", "a.example", 8443, "/"), "/x$"), "https://a.example:8443/y/x")


@pytest.mark.parametrize(
    "changes, said",
    [
        ({"at": ""}, "write in `at`"),
        ({"page": ""}, "needs in `page`"),
        ({"page": "https://sso.example/login"}, "on another host"),
        ({"user": "alice"}, "do not write the secret itself here"),
        ({"password": "s3cret"}, "do not write the secret itself here"),
        ({"again": "often"}, "`again` has to be a number"),
        ({"never": "("}, "does not compile"),
    ],
)
def test_a_wrong_entry_says_what_to_write(changes: dict[str, str], said: str) -> None:
    row = {"at": "a.example", "page": PAGE, "user": "env:U", "password": "env:P"}
    assert LoginSettings(entries=[row]).entries
    with pytest.raises(SettingsError) as refused:
        LoginSettings(entries=[row | changes])
    assert said in str(refused.value)
    assert "s3cret" not in str(refused.value)
