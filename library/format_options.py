"""The options and the variants of an export format."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import BinaryIO

from hinterland.library.errors import HinterlandError, require_known
from hinterland.storage.exports.format import FileFormat, FolderFormat, Format, GraphFormat, UnusableOption


def form_for(format_: Format, target: str | Path | BinaryIO | None) -> Format:
    """Return the variant of a format for this target: the suffix selects it, and a stream needs a single file."""
    if isinstance(format_, GraphFormat) or target is None or not format_.forms:
        return format_
    if isinstance(target, str | Path):
        return format_.forms.get(Path(target).suffix, format_)
    return next(iter(format_.forms.values())) if isinstance(format_, FolderFormat) else format_


def chosen_options_of(name: str, format_: FileFormat | FolderFormat, given: Mapping[str, object]) -> dict[str, object]:
    """Return all options of the format `name`: the given options, and defaults for the rest.

    Raises HinterlandError for an unknown option or an unusable value.
    """
    found = {each: option.default for each, option in format_.options.items()}
    for each, value in given.items():
        if not format_.options:
            raise HinterlandError(f"--format {name} has no options")
        require_known(f"option of --format {name}", each, format_.options)
        try:
            found[each] = format_.options[each].read(str(value))
        except UnusableOption as error:
            raise HinterlandError(f"the option {each} of --format {name} {error}") from None
    return found
