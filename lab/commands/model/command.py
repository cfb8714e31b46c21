"""`model`: graphs drawn from models of the web."""

from __future__ import annotations

import sys
import time
from argparse import Namespace
from dataclasses import asdict, fields
from pathlib import Path
from typing import Any

from hinterland.analysis.stored_graph import save_graph
from hinterland.cli.exit_codes import OK
from hinterland.cli.output import Output
from hinterland.lab.commands.experiments.sources import check_result_file, writing
from hinterland.lab.models import MODELS
from hinterland.lab.models.model import DrawnGraph, GraphModel, UnusableModel
from hinterland.library.errors import HinterlandError, require_known
from hinterland.library.text.wording import duration, number
from hinterland.storage.exports.destinations import new_file

_NPZ_BEGINS = b"PK\3\4"


def run(arguments: Namespace) -> int:
    model = _model(arguments)
    check_result_file(arguments.out, _NPZ_BEGINS)
    started = time.monotonic()
    try:
        drawn = model.draw(arguments.pages, arguments.seed)
    except UnusableModel as error:
        raise HinterlandError(str(error)) from error
    except MemoryError:
        raise HinterlandError(f"there is not enough memory for {number(arguments.pages)} pages") from None
    made_by = _words(arguments.name, model, arguments.pages, arguments.seed)
    with writing(arguments.out), new_file(Path(arguments.out), force=True) as file:
        save_graph(file, drawn.graph, crawled=drawn.crawled, made_by=made_by)
    output = Output(sys.stdout)
    output.write(f"{made_by}\n{_counts(drawn)} in {arguments.out} ({duration(time.monotonic() - started)})")
    if drawn.ended_early:
        output.write("The crawl ended early: no page was left to which it had seen a link.")
    return OK


def _model(arguments: Namespace) -> GraphModel:
    require_known("model", arguments.name, MODELS)
    model = MODELS[arguments.name]
    known = [field.name for field in fields(model)]
    given = _given(arguments)
    for name in given:
        if name not in known:
            options = ", ".join(map(_option, known))
            raise HinterlandError(f"the model {arguments.name} has no {_option(name)}; its parameters are {options}")
    try:
        return model(**given)
    except UnusableModel as error:
        raise HinterlandError(str(error)) from error


def _given(arguments: Namespace) -> dict[str, Any]:
    """The parameters of any model that were given."""
    names = {field.name for model in MODELS.values() for field in fields(model)}
    return {name: value for name, value in vars(arguments).items() if name in names and value is not None}


def _option(name: str) -> str:
    return f"--{name.replace('_', '-')}"


def _words(name: str, model: GraphModel, pages: int, seed: int) -> str:
    """What to type to have the same graph again."""
    parameters = asdict(model)
    return " ".join([name, *(f"{_option(key)} {value}" for key, value in parameters.items())]) + (
        f" --pages {pages} --seed {seed}"
    )


def _counts(drawn: DrawnGraph) -> str:
    pages, links = number(drawn.graph.page_count), number(drawn.graph.link_count)
    crawled = "" if drawn.crawled is None else f"{number(drawn.crawled)} pages crawled of "
    return f"{crawled}{pages} pages{' known' if crawled else ''}, {links} links"
