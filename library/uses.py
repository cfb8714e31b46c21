"""The purposes for which pages are exported, and the pages that are left out because of them."""

from __future__ import annotations

import json
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from hinterland.crawler.assembly.stored_features import stored_features
from hinterland.library.corpus.manifest import corpus_manifest
from hinterland.library.errors import require_known
from hinterland.library.text.wording import printable
from hinterland.storage.reading.reader import StoreReader
from hinterland.storage.values.uses import RefusedPages, Use

ANY: Final = "any"
"""The name of all uses together."""
USES: Final = (*(use.value for use in Use), ANY)
_SHOWN: Final = 5
_SHOWN_CHARACTERS: Final = 80


def uses_named(name: str) -> Sequence[Use]:
    """Return the uses with this name: one use, or all uses for "any". Raises HinterlandError for an unknown name."""
    require_known("use", name, list(USES))
    return tuple(Use) if name == ANY else (Use(name),)


class Corpus:
    """The pages of a store that may be used for some purposes."""

    def __init__(self, store: StoreReader, uses: Sequence[Use]) -> None:
        """Find the pages whose sites disallow one of these uses."""
        self._store = store
        self._uses = uses
        self._features = stored_features(store)
        self.refused: RefusedPages = self._features.refusing(uses)

    def left_out(self) -> dict[str, int]:
        """Return how many pages are left out by the statements that exclude most pages, by the reason in words."""
        asked = " or ".join(self._uses)
        reasons = self.refused.reasons.most_common()
        found = {f"no {asked}, says “{printable(text[:_SHOWN_CHARACTERS])}”": count for text, count in reasons[:_SHOWN]}
        if len(reasons) > _SHOWN:
            found[f"no {asked}, by other statements"] = sum(count for _, count in reasons[_SHOWN:])
        return found

    def write_manifest(self, target: str, *, local_only: bool) -> list[str]:
        """Write the manifest beside an exported file or folder; return a note that names it.

        If `target` is "", the export went to a stream, and nothing is written.
        """
        if not target:
            return []
        path = Path(f"{target}.manifest.json")
        manifest = corpus_manifest(
            self._store, self._features, self._uses, self.refused, local_only=local_only, now=time.time()
        )
        path.write_text(json.dumps(manifest, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
        return [f"what was taken, from where and when, and under which statements: {printable(str(path))}"]
