"""The value of --since for exports: only pages that have changed since that time are exported."""

from __future__ import annotations

import json
import time
from datetime import datetime
from pathlib import Path

from hinterland.library.errors import HinterlandError
from hinterland.library.text.moments import NoMoment, moment_named
from hinterland.library.text.wording import printable


def moment_of(since: str | Path | datetime) -> float:
    """Return a time in epoch seconds: the given time, or that of the newest page in an earlier export.

    A time is a datetime, or a text that `moment_named` accepts. An earlier export is a file of JSON lines or Parquet
    with the field `fetched_at`. Raises HinterlandError.
    """
    if isinstance(since, datetime):
        return since.timestamp()
    path = Path(since)
    if path.is_file():
        return _newest_in(path)
    try:
        return moment_named(str(since), time.time())
    except NoMoment as error:
        raise HinterlandError(f"--since: {printable(str(error))}, or name the file of an earlier export") from None


def _newest_in(path: Path) -> float:
    newest = _newest_in_parquet(path) if path.suffix == ".parquet" else _newest_in_lines(path)
    if newest is None:
        raise HinterlandError(
            f"{path} has no field fetched_at; --since takes a date, or a file of JSON lines or Parquet"
        )
    return newest


def _newest_in_lines(path: Path) -> float | None:
    newest = ""
    try:
        with path.open(encoding="utf-8") as lines:
            for line in lines:
                newest = max(newest, json.loads(line).get("fetched_at") or "")
        return datetime.fromisoformat(newest).timestamp() if newest else None
    except (OSError, ValueError, AttributeError, TypeError) as error:
        raise HinterlandError(f"{path} cannot be read as an earlier export: {error}") from None


def _newest_in_parquet(path: Path) -> float | None:
    from hinterland.storage.exports.arrow import require_pyarrow

    require_pyarrow("--since with a Parquet file", "give a date")
    from pyarrow import ArrowException
    from pyarrow.compute import max as newest_of
    from pyarrow.parquet import ParquetFile

    newest: datetime | None = None
    try:
        file = ParquetFile(path)
        if "fetched_at" not in file.schema_arrow.names:
            return None
        for batch in file.iter_batches(columns=["fetched_at"]):
            found = newest_of(batch.column(0)).as_py()
            newest = found if newest is None or (found is not None and found > newest) else newest
    except (OSError, ArrowException) as error:
        raise HinterlandError(f"{path} cannot be read as an earlier export: {error}") from None
    return None if newest is None else newest.timestamp()
