"""Nothing is compiled by a numba that lacks the private parts we rely on."""

from __future__ import annotations

import numba.core.event
import numba.np.linalg
import pytest

from hinterland.analysis.numba_parts import check_numba
from hinterland.errors import MissingPackage


@pytest.mark.parametrize("module, part", [(numba.core.event, "Listener"), (numba.np.linalg, "ensure_blas")])
def test_a_part_that_is_gone_is_named(module: object, part: str, monkeypatch: pytest.MonkeyPatch) -> None:
    check_numba()
    monkeypatch.delattr(module, part)
    with pytest.raises(MissingPackage, match=rf"numba .* lacks numba\.[a-z.]+\.{part}"):
        check_numba()
