"""Plots of curves and points, written to a file by matplotlib. No other module needs matplotlib."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from hinterland.distribution.extras import need
from hinterland.lab.commands.experiments.sources import check_result_file, writing
from hinterland.library.errors import HinterlandError

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

FORMATS = {".svg": b"<?xml", ".png": b"\x89PNG", ".pdf": b"%PDF"}
"""The file name suffixes, and the first bytes of such files."""


def check_plot_file(name: str) -> None:
    """Raise HinterlandError or MissingExtra if a plot cannot be written to this file.

    Call it before anything is computed.
    """
    file = Path(name)
    if file.suffix.lower() not in FORMATS:
        raise HinterlandError(f"{name}: a plot is written as {', '.join(FORMATS)}; choose one of these endings")
    check_result_file(name, FORMATS[file.suffix.lower()])
    need("plots", by="a plot", otherwise="leave out the plot: --json writes all of its figures")


def draw_curves(
    file: str, title: str, panels: Mapping[str, Mapping[str, Sequence[tuple[float, float]]]], across: str
) -> None:
    """Draw one panel for each measure, with one curve of (x, y) for each strategy.

    `across` is the label of the x-axis. Raises HinterlandError if the file cannot be written.
    """
    figure, axes = _new_figure(len(panels))
    for place, ((measure, curves), panel) in enumerate(zip(panels.items(), axes, strict=True)):
        for name, points in curves.items():
            panel.plot([x for x, _ in points], [y for _, y in points], label=name, linewidth=1.2)
        panel.set_xlabel(across)
        panel.set_title(measure)
        panel.grid(alpha=0.3)
        if place == 0:
            panel.legend(fontsize="x-small")
    figure.suptitle(title)
    with writing(file):
        figure.savefig(file, metadata=_without_date(file))


def draw_points(file: str, title: str, across: str, upwards: str, points: Sequence[tuple[float, float]]) -> None:
    """Draw a scatter plot on logarithmic axes. Raises HinterlandError if it cannot be written."""
    figure, (panel,) = _new_figure(1)
    panel.scatter([x for x, _ in points], [y for _, y in points], s=9, alpha=0.6)
    panel.set_xscale("log")
    panel.set_yscale("log")
    panel.set_xlabel(across)
    panel.set_ylabel(upwards)
    panel.grid(alpha=0.3)
    figure.suptitle(title)
    with writing(file):
        figure.savefig(file, metadata=_without_date(file))


def _new_figure(panels: int) -> tuple[Figure, Sequence[Axes]]:
    from matplotlib import rcParams
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    rcParams["svg.hashsalt"] = "hinterland"  # otherwise the same figures give a different file each time
    figure = Figure(figsize=(5.5 * panels, 4.5), layout="constrained")
    FigureCanvasAgg(figure)
    return figure, list(figure.subplots(1, panels, squeeze=False)[0])


def _without_date(file: str) -> dict[str, None] | None:
    key = {".svg": "Date", ".pdf": "CreationDate"}.get(Path(file).suffix.lower())
    return {key: None} if key else None
