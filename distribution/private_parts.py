"""Private parts of packages that this program relies on, as far as there is no public way: a version in which one is
gone is refused, before what depends on it is lost without a word.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib.metadata import version

from hinterland.distribution.extras import MissingPackage, listed
from hinterland.distribution.installation import how_to_install_known


def require_parts(package: str, parts: Mapping[str, bool]) -> None:
    """parts: by name whether they are there. Raises MissingPackage, with the way out."""
    lost = [name for name, is_there in parts.items() if not is_there]
    if lost:
        raise MissingPackage(
            f"{package} {version(package)} lacks {listed(lost)}, which Hinterland relies on; to get a version that has"
            f" it: `{how_to_install_known(package)}`"
        )
