"""`settings`: the values that hold, and where each comes from."""

from __future__ import annotations

import json
import sys
from argparse import Namespace

from crawler.apps.cli.exit_codes import OK
from crawler.apps.cli.output import Output
from crawler.apps.cli.settings_sources import settings_of, settings_with_store
from crawler.apps.cli.settings_text import settings_json, settings_text


def run(arguments: Namespace) -> int:
    effective = settings_with_store(settings_of(arguments), arguments.store)
    output = Output(sys.stdout)
    if arguments.json:
        output.write(json.dumps(settings_json(effective), ensure_ascii=False, indent=2))
    else:
        output.write(settings_text(effective))
    return OK
