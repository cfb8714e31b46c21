"""`index`: from a store to its search index."""

from __future__ import annotations

import sys
import time
from argparse import Namespace
from dataclasses import asdict
from functools import partial
from pathlib import Path

from analysis.compiled import told_of_compiling
from crawler.apps.cli.exit_codes import OK, STORE, CommandError
from crawler.apps.cli.index_progress import COMPILING, IndexProgress
from crawler.apps.cli.index_sources import index_to_build
from crawler.apps.cli.index_text import as_text
from crawler.apps.cli.output import Output
from crawler.apps.cli.settings_sources import settings_of
from crawler.apps.search.index.building import IndexInUse, build
from crawler.apps.search.index.index_folder import NoIndex
from crawler.apps.text.wording import json_text
from storage.store_files import StoreGone


def run(arguments: Namespace) -> int:
    settings = settings_of(arguments).settings
    store = Path(arguments.store)
    folder = index_to_build(arguments)
    lines = IndexProgress(sys.stderr, time.monotonic, settings.report.interval_seconds)
    try:
        with told_of_compiling(partial(lines.show, COMPILING, 0, 1)):
            report = build(
                store,
                folder,
                settings.search,
                with_outside=arguments.with_outside,
                rebuild=arguments.rebuild,
                estimator=settings.hinterland.estimator,
                progress=lines.show,
            )
    except (IndexInUse, NoIndex) as error:
        raise CommandError(str(error), STORE) from error
    except StoreGone as error:
        raise CommandError(f"{error}; run `index` again", STORE) from error
    except OSError as error:
        raise CommandError(f"the index in {folder.path} cannot be written: {error}", STORE) from error
    finally:
        lines.close()
    output = Output(sys.stdout)
    if arguments.json:
        output.write(json_text({"index": str(folder.path), **asdict(report)}))
    else:
        output.write(as_text(report, arguments.store, str(folder.path), is_elsewhere=arguments.index is not None))
    return OK
