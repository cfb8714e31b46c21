"""The identity of a crawler: its signing key, and the files by which sites verify it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from hinterland.crawler.features.web_bot_auth.publication import published_files
from hinterland.crawler.fetching.access.secret_sources import SecretUnusable
from hinterland.distribution.extras import need
from hinterland.library.errors import HinterlandError

DEFAULT_FOLDER = "identity"


@dataclass(frozen=True, slots=True)
class Identity:
    """A signing key: its file, its thumbprint, and the thumbprints of earlier keys that the directory still lists."""

    file: Path
    keyid: str
    former: Sequence[str]


def new_identity(folder: str | Path = DEFAULT_FOLDER) -> Identity:
    """Make a signing key in a folder. An existing key is replaced, but stays in the directory for a week.

    Raises MissingExtra, and HinterlandError if the folder cannot be used.
    """
    need("identity", by="a signing key")
    from hinterland.crawler.features.web_bot_auth.keys import make_key

    try:
        make_key(Path(folder))
    except SecretUnusable as error:
        raise HinterlandError(str(error)) from None
    except OSError as error:
        raise HinterlandError(f"the key in {folder} cannot be written: {error.strerror}") from None
    return stored_identity(folder)


def stored_identity(folder: str | Path = DEFAULT_FOLDER) -> Identity:
    """Return the identity in a folder. Raises MissingExtra, and HinterlandError if the folder has no identity."""
    need("identity", by="a signing key")
    from hinterland.crawler.features.web_bot_auth.keys import KEY_FILE, former_keys, read_key

    file = Path(folder) / KEY_FILE
    if not file.exists():
        raise HinterlandError(f"there is no key in {folder}; `identity new` makes one")
    try:
        return Identity(file, read_key(str(file)).keyid, [str(key["kid"]) for key in former_keys(Path(folder))])
    except SecretUnusable as error:
        raise HinterlandError(str(error)) from None


def publish_identity(
    folder: str | Path, target: str | Path, *, name: str, agent: str, contact: str, purpose: str
) -> list[Path]:
    """Write the files to be served at `agent`: a key directory, and a page for the owners of sites. Return their paths.

    Raises MissingExtra, and HinterlandError.
    """
    stored_identity(folder)
    from hinterland.crawler.features.web_bot_auth.keys import directory

    files = published_files(directory(Path(folder)), name=name, agent=agent, contact=contact, purpose=purpose)
    written = []
    try:
        for path, text in files.items():
            file = Path(target) / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, encoding="utf-8")
            written.append(file)
    except OSError as error:
        raise HinterlandError(f"{target} cannot be written: {error.strerror}") from None
    return written
