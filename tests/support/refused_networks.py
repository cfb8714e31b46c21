"""What is said where no separate network can be made."""

from __future__ import annotations

from typing import Final

REFUSED: Final = "network namespaces or TUN devices are refused here"
"""How a reason begins where nothing that could be installed would help."""
