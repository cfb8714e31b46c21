"""Streams long lists as CSV."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterable, Sequence

from aiohttp import web

from hinterland.library.text.csv_text import csv_text
from hinterland.web.compression import compress_pieces

_PATIENCE_SECONDS = 60.0
"""How long a client may read nothing before it is disconnected."""


async def send_rows(
    request: web.Request, name: str, columns: Sequence[str], pieces: AsyncIterator[Iterable[Iterable[object]]]
) -> web.StreamResponse:
    """Stream rows as a CSV file called `name`.

    A client that reads nothing for a minute is disconnected.
    """
    response = web.StreamResponse(
        headers={
            "Content-Type": "text/csv; charset=utf-8",
            "Content-Disposition": f'attachment; filename="{name}"',
            "Cache-Control": "no-cache",
        }
    )
    compress_pieces(request, response)
    await response.prepare(request)
    try:
        await _written(response, [columns])
        if request.method != "HEAD":
            async for rows in pieces:
                await _written(response, rows)
        await response.write_eof()
    except TimeoutError:
        if request.transport is not None:
            request.transport.abort()
    return response


async def _written(response: web.StreamResponse, rows: Iterable[Iterable[object]]) -> None:
    async with asyncio.timeout(_PATIENCE_SECONDS):
        await response.write(csv_text(rows).encode("utf-8", "replace"))
