"""Calls a tool: checks the arguments, and returns an answer or an error that is safe to read."""

from __future__ import annotations

import logging
import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

import msgspec

from hinterland.library.patient_reading import TookTooLong
from hinterland.search.answers import QueryError
from hinterland.search.index_failures import NoIndex
from hinterland.storage.no_store import NoStore
from hinterland.web.assistants.asked_stores import AskedStores, CannotAnswer
from hinterland.web.assistants.presenting import as_text, presentable
from hinterland.web.assistants.quoting import framed, one_line
from hinterland.web.assistants.tool import AnyTool

_LONGEST_ERROR: Final = 1_000
_MARK_BYTES: Final = 12

_logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class CallResult:
    """The answer of a tool, as quoted text and as values.

    After an error, the text explains the error, and `values` is None.
    """

    text: str
    values: Mapping[str, Any] | None


def called(tool: AnyTool, stores: AskedStores, arguments: Mapping[str, Any]) -> CallResult:
    """Call a tool and return its result. Errors do not raise: the result explains them."""
    try:
        asked = msgspec.convert(_without_nulls(arguments), tool.arguments, strict=False)
        values = presentable(tool.answer(stores, asked))
    except msgspec.ValidationError as error:
        return _error(f"these arguments cannot be used: {error}")
    except (CannotAnswer, QueryError, NoIndex, NoStore, TookTooLong) as error:
        return _error(str(error))
    except Exception:
        _logger.exception("no answer to %a", tool.title)
        return _error("internal error of Hinterland; its log has the details, and the store is not affected")
    return CallResult(quoted(as_text(values)), values)


def quoted(text: str) -> str:
    """Return a text between two lines with a random mark, which authors of pages cannot know."""
    mark = secrets.token_hex(_MARK_BYTES)
    while mark in text:
        mark = secrets.token_hex(_MARK_BYTES)
    return framed(text, mark)


def _without_nulls(arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Return the arguments without nulls, since models often write null for an argument that they leave out."""
    return {name: value for name, value in arguments.items() if value is not None}


def _error(message: str) -> CallResult:
    return CallResult(one_line(message, _LONGEST_ERROR), None)
