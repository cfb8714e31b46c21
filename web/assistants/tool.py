"""The definition of a tool: a name, arguments, an answer, and the function that answers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from hinterland.web.assistants.asked_stores import AskedStores
from hinterland.web.assistants.values import Answer, Arguments

A = TypeVar("A", bound=Arguments)


@dataclass(frozen=True, slots=True)
class Tool(Generic[A]):
    """A tool that a model can call. It has the name of its module.

    `description` is the text that the model reads. `answer` runs in a thread and only reads; it raises CannotAnswer,
    QueryError, NoIndex, NoStore or TookTooLong.
    """

    title: str
    description: str
    arguments: type[A]
    answers: type[Answer]
    answer: Callable[[AskedStores, A], Answer]


AnyTool = Tool[Any]
