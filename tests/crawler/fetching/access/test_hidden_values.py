"""What is secret is in nothing that this process writes, in whatever spelling."""

from __future__ import annotations

import json
import logging
from base64 import b64encode
from collections.abc import Callable
from pathlib import Path
from urllib.parse import quote, quote_plus, urlencode

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hinterland.crawler.fetching.access import secret_sources
from hinterland.crawler.fetching.access.hidden_values import LEAST_CHARACTERS, HiddenValues
from hinterland.crawler.fetching.access.secret_names import check_source
from hinterland.crawler.fetching.access.secret_sources import SecretUnusable, read_secret
from hinterland.crawler.settings.rules import Complaint

SECRETS = st.text(st.characters(codec="utf-8", exclude_characters="*"), min_size=LEAST_CHARACTERS, max_size=40)
SPELLINGS = (
    str,
    quote,
    quote_plus,
    json.dumps,
    repr,
    lambda value: urlencode({"password": value}),
    lambda value: b64encode(value.encode()).decode(),
)


@given(SECRETS, st.text(max_size=20), st.text(max_size=20), st.sampled_from(SPELLINGS))
def test_a_secret_is_hidden_in_every_spelling(
    secret: str, before: str, after: str, spell: Callable[[str], str]
) -> None:
    values = HiddenValues()
    values.add(secret)
    spelt = spell(secret)
    assert secret not in values.hide(f"{before}{spelt}{after}")
    data = f"{before}{spelt}{after}".encode("utf-8", "surrogateescape")
    masked = values.mask(data)
    assert secret.encode() not in masked
    assert len(masked) == len(data)


@given(st.text(max_size=60))
def test_a_text_without_secrets_is_left_as_it_is(text: str) -> None:
    values = HiddenValues()
    assert values.hide(text) == text
    values.add("a secret that no example has")
    assert values.hide(text) == text
    assert values.mask(text.encode()) == text.encode()


def test_of_two_secrets_the_longer_one_is_hidden_whole() -> None:
    values = HiddenValues()
    for each in ("pass", "password"):
        values.add(each)
    assert values.hide("my password, my pass") == "my ***, my ***"


def test_the_list_of_secrets_is_bounded() -> None:
    values = HiddenValues(most=10)
    for number in range(1000):
        values.add(f"secret{number}")
    assert values.hide("secret999 secret1") == "*** secret1"


def test_logs_and_their_tracebacks_hide_what_was_read(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(secret_sources, "HIDDEN_VALUES", HiddenValues())
    factory = logging.getLogRecordFactory()
    monkeypatch.setenv("A_TOKEN", " t0p-s3cret\n")
    try:
        assert read_secret("env:A_TOKEN", "a test") == "t0p-s3cret"
        try:
            raise ValueError("no header t0p-s3cret")
        except ValueError:
            logging.getLogger("a").exception("sent %s", "t0p-s3cret")
        logging.getLogger("a").warning("%d", "t0p-s3cret")
    except TypeError:
        pass  # what logging says of the last one
    finally:
        logging.setLogRecordFactory(factory)
    assert "sent ***" in caplog.text
    assert "no header ***" in caplog.text
    assert "t0p-s3cret" not in caplog.records[0].getMessage() + (caplog.records[0].exc_text or "")


@pytest.mark.parametrize("mode", [0o644, 0o640, 0o604, 0o660])
def test_a_file_that_others_can_read_is_refused(mode: int, tmp_path: Path) -> None:
    file = tmp_path / "token"
    file.write_text("t0p-s3cret")
    file.chmod(mode)
    with pytest.raises(SecretUnusable, match=r"others can read .*chmod 600") as refused:
        read_secret(f"file:{file}", "the token")
    assert "t0p-s3cret" not in str(refused.value)
    file.chmod(0o600)
    assert read_secret(f"file:{file}", "the token") == "t0p-s3cret"


@pytest.mark.parametrize(
    "source, said",
    [
        ("env:SURELY_NOT_SET", "the variable SURELY_NOT_SET is not set"),
        ("file:/nowhere/at/all", "cannot be read: No such file"),
        ("command:false", "false ended with the exit code 1"),
        ("command:surely-no-program", "cannot be run: No such file"),
        ("command:true", "gives an empty string"),
        ("command:printf '", "cannot be run: No closing quotation"),
    ],
)
def test_a_secret_that_cannot_be_read_says_why(source: str, said: str) -> None:
    with pytest.raises(SecretUnusable, match=said):
        read_secret(source, "the token")


def test_what_a_command_says_of_its_failure_reaches_the_user(capfd: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SecretUnusable, match="its own message, if any, is above"):
        read_secret("command:cat /nowhere/at/all", "the token")
    assert "/nowhere/at/all" in capfd.readouterr().err


def test_a_command_is_run_without_a_shell() -> None:
    assert read_secret("command:printf %s $HOME;true", "the token") == "$HOME;true"


@pytest.mark.parametrize("text", ["t0p-s3cret", "Bearer t0p-s3cret", "envy:t0p-s3cret", "env:", "user:t0p-s3cret"])
def test_a_secret_in_the_settings_is_refused_and_not_quoted(text: str) -> None:
    with pytest.raises(Complaint) as refused:
        check_source(text)
    assert "t0p-s3cret" not in str(refused.value)
