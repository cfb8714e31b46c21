"""The run of `changes`."""

from __future__ import annotations

import json
import sys
import time
from argparse import Namespace
from collections.abc import Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path

from hinterland.cli.exit_codes import OK
from hinterland.cli.output import Output
from hinterland.library.errors import HinterlandError
from hinterland.library.text.changes_text import changes_lines
from hinterland.library.text.moments import NoMoment, moment_named
from hinterland.storage.reading.opening import reading
from hinterland.storage.values.history import Change


def run(arguments: Namespace) -> int:
    """Raises HinterlandError and NoStore."""
    now = time.time()
    try:
        since = moment_named(arguments.since, now)
    except NoMoment as error:
        raise HinterlandError(f"--since {error}") from None
    limit = -1 if arguments.json else arguments.limit + 1
    with reading(Path(arguments.store)) as store:
        found = store.history.changes(since, kinds=arguments.kind, limit=limit)
    output = Output(sys.stdout)
    if arguments.json:
        for change in found:
            output.write(json.dumps(_as_json(change), ensure_ascii=True))
    else:
        output.write("\n".join(_lines(found, arguments.limit, arguments.since)))
    return OK


def _lines(found: Sequence[Change], limit: int, since: str) -> list[str]:
    if not found:
        return [f"`recrawl` has found nothing new, changed or gone since {since}."]
    lines = changes_lines(found[:limit])
    return lines if len(found) <= limit else [*lines, f"and more: --limit {10 * limit} shows them"]


def _as_json(change: Change) -> dict[str, object]:
    at = datetime.fromtimestamp(change.at, UTC).isoformat(timespec="seconds")
    return {**asdict(change), "at": at, "has_before": bool(change.has_before)}
