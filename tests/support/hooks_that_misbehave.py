"""A plug-in whose hooks do, on pages that are called so, what hooks should not do."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator
from typing import Any

from hinterland.hooks import Hook, HookPage

_KEPT: list[bytes] = []


def read(page: HookPage) -> Iterator[dict[str, Any]]:
    kind = page.url.rpartition("/")[2]
    yield {"words": len(page.text().split())}
    match kind:
        case "hang":
            while True:
                pass
        case "sleep":
            time.sleep(600)
        case "leak":
            while True:
                _KEPT.append(bytes(10_000_000))  # asked for, never touched: quick on any machine
        case "leak-a-little":
            _KEPT.append(bytes(80_000_000))
        case "raise":
            raise LookupError("a surprise")
        case "print":
            print("here I am")
        case "write":
            os.write(1, b"on the bare output")
        case "exit":
            sys.exit(3)
        case "leave":
            os._exit(3)
        case "die":
            os.kill(os.getpid(), 9)
        case "wrong":
            yield {"words": "many"}
        case "unknown":
            yield {"word": 1}


HOOKS = {"count": Hook(pages="http://**", fields={"words": "integer", "letters": ["text"]}, read=read)}
