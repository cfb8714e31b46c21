"""What `simulate` and `evaluate` were asked for, and what their results need so that they can be had again."""

from __future__ import annotations

import json
import platform
from collections.abc import Collection, Mapping
from difflib import get_close_matches
from importlib.metadata import version
from pathlib import Path
from typing import Any

from analysis.estimators import ESTIMATORS
from crawler import __version__
from crawler.apps.cli.exit_codes import CommandError
from crawler.policies import POLICIES


def chosen_policies(text: str | None) -> list[str]:
    """All, or those named with commas between them. Raises CommandError."""
    return _chosen(text, POLICIES, "policy")


def chosen_estimators(text: str | None) -> list[str]:
    return _chosen(text, ESTIMATORS, "estimator")


def _chosen(text: str | None, table: Collection[str], noun: str) -> list[str]:
    names = list(table) if text is None else list(dict.fromkeys(filter(None, map(str.strip, text.split(",")))))
    if not names:
        raise CommandError(f"no {noun} is named; there are {', '.join(table)}")
    for name in names:
        if name not in table:
            near = get_close_matches(name, table, n=1)
            hint = f"did you mean {near[0]}?" if near else f"there are {', '.join(table)}"
            raise CommandError(f"there is no {noun} {name!r}; {hint}")
    return names


JSON_BEGINS = b"{"
MARKDOWN_BEGINS = b"# "


def check_result_file(name: str | None, begins: bytes) -> None:
    """Raises CommandError, before hours of work, if a result could not be written there, or if that would replace what
    is no earlier result. begins: what every such result begins with."""
    if name is None:
        return
    file = Path(name)
    if not file.absolute().parent.is_dir():
        raise CommandError(f"{name}: there is no folder {file.parent}")
    if file.is_dir():
        raise CommandError(f"{name} is a folder; name a file in it")
    try:
        with file.open("rb") as earlier:
            if earlier.read(len(begins)) not in (begins, b""):
                raise CommandError(f"{name} is there already and is no earlier result; choose another name")
    except FileNotFoundError:
        pass
    except OSError as error:
        raise CommandError(f"{name}: {error.strerror}") from None


def write_json(name: str, content: Mapping[str, Any]) -> None:
    """With the versions of what computed it. NaN, which JSON lacks, is written as null."""
    versions = {package: version(package) for package in ("numpy", "numba")}
    made_by = {"hinterland": __version__, "python": platform.python_version(), **versions}
    text = json.dumps(_without_nan({"made_by": made_by, **content}), ensure_ascii=False, indent=1, allow_nan=False)
    Path(name).write_text(f"{text}\n", encoding="utf-8")


def _without_nan(value: Any) -> Any:
    match value:
        case float():
            return None if value != value else value
        case dict():
            return {key: _without_nan(each) for key, each in value.items()}
        case list() | tuple():
            return [_without_nan(each) for each in value]
        case _:
            return value


def earlier_domains(file: str) -> frozenset[str]:
    """The names of the local domains in what an earlier evaluation kept with --json."""
    try:
        return frozenset(str(domain["name"]) for domain in json.loads(Path(file).read_text("utf-8"))["domains"])
    except OSError as error:
        raise CommandError(f"--except {file}: {error.strerror}") from None
    except (ValueError, KeyError, TypeError):
        raise CommandError(f"--except {file}: not what `evaluate --json` writes") from None
