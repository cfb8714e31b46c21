"""`python -m hinterland.crawler.settings` prints the settings file with every default."""

from __future__ import annotations

import sys

from hinterland.crawler.settings import Settings, render_toml

sys.stdout.write(render_toml(Settings()))
