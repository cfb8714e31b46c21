"""Checks that other packages still have the private functions and attributes which this program uses.

There is no public API for these. If a version of a package lacks one, it is refused, so that the feature that depends
on it does not break silently.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib.metadata import version

from hinterland.distribution.extras import MissingPackage, listed
from hinterland.distribution.installation import how_to_install_known


def require_parts(package: str, parts: Mapping[str, bool]) -> None:
    """Raise MissingPackage, which says what to install, unless all parts exist.

    `parts` maps the name of each part to whether it exists.
    """
    lost = [name for name, is_there in parts.items() if not is_there]
    if lost:
        raise MissingPackage(
            f"{package} {version(package)} lacks {listed(lost)}, which Hinterland relies on; to get a version that has"
            f" it: `{how_to_install_known(package)}`"
        )
