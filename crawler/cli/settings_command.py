"""`settings`: the values that hold, and where each comes from."""

from __future__ import annotations

import json
import sys
from argparse import Namespace

from crawler.cli.exit_codes import OK
from crawler.cli.output import Output
from crawler.cli.settings_sources import settings_of, settings_with_store
from crawler.cli.settings_text import settings_json, settings_text


def run(arguments: Namespace) -> int:
    effective = settings_with_store(settings_of(arguments), arguments.store)
    output = Output(sys.stdout)
    if arguments.json:
        output.write(json.dumps(settings_json(effective), ensure_ascii=False, indent=2))
    else:
        output.write(settings_text(effective))
    return OK
