"""Renders templates. Every value is escaped, and a missing name is an error."""

from __future__ import annotations

import hashlib
import re
from datetime import UTC, datetime
from importlib.resources import files
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup, escape

from hinterland.crawler import __version__
from hinterland.library.text.wording import counted, duration, moment, number, ordinal, rate, size
from hinterland.web.field_values import in_a_cell
from hinterland.web.hostile_text import breadcrumb, visible, visible_lines, web_href
from hinterland.web.plots import HEIGHT, WIDTH

_COMMAND = re.compile("`([^`]+)`")
_TYPES = {".css": "text/css", ".js": "text/javascript", ".svg": "image/svg+xml"}


def static_files() -> dict[str, tuple[str, bytes]]:
    """Return (content type, bytes) of each static file by name."""
    folder = files(__package__) / "static"
    found = {each.name: each.read_bytes() for each in folder.iterdir()}
    return {name: (_TYPES[name[name.rindex(".") :]], data) for name, data in sorted(found.items())}


class Renderer:
    """Renders pages from templates.

    `version` changes whenever a static file changes, so browsers can cache the files.
    """

    def __init__(self, static: dict[str, tuple[str, bytes]], root: str = "") -> None:
        """Load the templates; `root` is the prefix of all links."""
        self.version = hashlib.sha256(b"".join(data for _, data in static.values())).hexdigest()[:12]
        self._environment = Environment(
            loader=PackageLoader(__package__),
            autoescape=True,
            undefined=StrictUndefined,
            finalize=_finalized,
            trim_blocks=True,
            lstrip_blocks=True,
        )
        self._environment.filters.update(
            breadcrumb=breadcrumb,
            counted=counted,
            duration=duration,
            in_a_cell=in_a_cell,
            iso=_iso,
            message=_message,
            moment=moment,
            number=number,
            ordinal=ordinal,
            rate=rate,
            share=_share,
            significant=_significant,
            size=size,
            visible=visible,
            visible_lines=visible_lines,
            web_href=web_href,
        )
        self._environment.globals.update(
            root=root, program_version=__version__, static_version=self.version, plot_width=WIDTH, plot_height=HEIGHT
        )

    def page(self, template: str, **values: Any) -> str:
        """Return the page that a template renders with these values."""
        return self._environment.get_template(template).render(values)


def _finalized(value: object) -> object:
    """Return a value in a form that is safe to show. Jinja calls it for each value of a template."""
    return visible_lines(value) if type(value) is str else value


def _message(text: str) -> Markup:
    """Return a message as HTML, with the commands that it names between backticks as code."""
    return Markup(_COMMAND.sub(r"<code>\1</code>", str(escape(visible(text)))))


def _iso(epoch_seconds: float) -> str:
    return datetime.fromtimestamp(epoch_seconds, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def _significant(value: float) -> str:
    """Return the number with three digits: "0.00123", "1.2e-07", "12.3"."""
    return f"{value:.3g}"


def _share(value: float) -> str:
    """Return a fraction in percent: "12.3 %", "0.012 %"."""
    percent = 100.0 * value
    return f"{percent:.1f} %" if percent >= 1 else f"{percent:.2g} %"
