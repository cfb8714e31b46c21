"""Reads secrets from the places that settings name: files, environment variables and commands.

`secret_names` checks these settings.
"""

from __future__ import annotations

import logging
import os
import shlex
import stat
import subprocess
import traceback
from contextlib import suppress
from pathlib import Path
from typing import Final

from hinterland.crawler.fetching.access.hidden_values import HIDDEN_VALUES

_COMMAND_SECONDS: Final = 60
_MOST_BYTES: Final = 1_000_000


class SecretUnusable(Exception):
    """Raised if a secret cannot be read.

    The message says which secret, why, and what to do. It never contains the secret.
    """


def read_secret(source: str, what: str, *, is_hidden: bool = True) -> str:
    """Return the secret from a source such as "file:PATH", and hide it from now on if `is_hidden`.

    A user name is not hidden, since pages may contain it. `what` is the secret's purpose, for error messages. White
    space around the secret is removed. Raises SecretUnusable.
    """
    kind, _, rest = source.partition(":")
    match kind:
        case "env":
            value = os.environ.get(rest, "")
            if not value.strip():
                raise SecretUnusable(f"{what}: the variable {rest} is not set; set it to the secret")
        case "file":
            value = private_file(rest, what).decode("utf-8", "surrogateescape")
        case _:
            value = _output_of(rest, what)
    secret = value.strip()
    if not secret:
        raise SecretUnusable(f"{what}: {kind} gives an empty string; it must give the secret")
    if is_hidden:
        hide(secret)
    return secret


def hide(value: str) -> None:
    """Keep a value out of everything that this process writes from now on, logs included."""
    if HIDDEN_VALUES.is_empty:
        _hide_in_logs()
    HIDDEN_VALUES.add(value)


def private_file(path: str, what: str) -> bytes:
    """Return the content of a file that only its owner can read. Raises SecretUnusable if others can, too."""
    try:
        with Path(path).open("rb") as file:
            mode = os.fstat(file.fileno()).st_mode
            if mode & (stat.S_IRWXG | stat.S_IRWXO):
                raise SecretUnusable(f"{what}: others can read {path}; run chmod 600 {shlex.quote(path)}")
            data = file.read(_MOST_BYTES + 1)
    except OSError as error:
        raise SecretUnusable(f"{what}: {path} cannot be read: {error.strerror}") from None
    if len(data) > _MOST_BYTES:
        raise SecretUnusable(f"{what}: {path} has more than {_MOST_BYTES:,} bytes; name a smaller file")
    return data


def _output_of(command: str, what: str) -> str:
    """Return what a command prints to its standard output.

    Its standard error is shown to the user, since the command may ask for a PIN there.
    """
    words = [command]
    try:
        words = shlex.split(command)
        done = subprocess.run(words, stdout=subprocess.PIPE, timeout=_COMMAND_SECONDS, check=False)
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else str(error)
        raise SecretUnusable(f"{what}: its command cannot be run: {reason}; correct it in the settings") from None
    except subprocess.TimeoutExpired:
        raise SecretUnusable(
            f"{what}: {words[0]} took more than {_COMMAND_SECONDS} s; it must print the secret sooner"
        ) from None
    if done.returncode:
        raise SecretUnusable(
            f"{what}: {words[0]} ended with the exit code {done.returncode}; its own message, if any, is above"
        )
    return done.stdout.decode("utf-8", "surrogateescape")


def _hide_in_logs() -> None:
    """Make all loggers of the process hide the secrets, in messages and in tracebacks."""
    make = logging.getLogRecordFactory()

    def without_secrets(*args: object, **more: object) -> logging.LogRecord:
        record = make(*args, **more)
        with suppress(TypeError, ValueError):  # if the message does not fit its arguments, logging itself says so
            record.msg, record.args = HIDDEN_VALUES.hide(record.getMessage()), ()
        if record.exc_info and record.exc_info[1] is not None:
            record.exc_text = HIDDEN_VALUES.hide("".join(traceback.format_exception(record.exc_info[1])).rstrip())
        return record

    logging.setLogRecordFactory(without_secrets)
