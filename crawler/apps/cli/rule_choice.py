"""What to extract, from the command line."""

from __future__ import annotations

from pathlib import Path

from crawler.apps.cli.exit_codes import STORE, CommandError
from crawler.apps.text.wording import printable
from crawler.parsing.extraction.rule_file import BadRules, read_rules
from crawler.parsing.extraction.rules import RuleSet
from crawler.parsing.extraction.tables import UnknownRules, from_stored
from storage.reading.reader import StoreReader

NO_RULES = RuleSet([])


def chosen_rules(path: str | None) -> RuleSet:
    """The rules in a file; none if none is given. Raises CommandError."""
    if path is None:
        return NO_RULES
    try:
        return read_rules(Path(path).read_text(encoding="utf-8"), path)
    except (OSError, UnicodeDecodeError) as error:
        raise CommandError(f"the rules in {path} cannot be read: {error}") from None
    except BadRules as error:
        raise CommandError(printable(str(error))) from None


def stored_rules(store: StoreReader) -> RuleSet:
    """Raises CommandError."""
    try:
        return from_stored(store.extractions.rules())
    except UnknownRules as error:
        raise CommandError(f"{error}; give them anew", STORE) from error
