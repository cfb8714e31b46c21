"""Command lines carried out in this process, where a process of their own is not what a test is about."""

from __future__ import annotations

import pytest

from hinterland.cli import main


def said(capsys: pytest.CaptureFixture[str], *command: object) -> str:
    """What a command that succeeds writes to stdout."""
    assert main(list(map(str, command))) == 0
    return capsys.readouterr().out


def complaint(capsys: pytest.CaptureFixture[str], *command: object, exit_code: int = 2) -> str:
    """What a command that fails, with nothing on stdout, writes to stderr."""
    assert main(list(map(str, command))) == exit_code
    found = capsys.readouterr()
    assert found.out == ""
    return found.err
