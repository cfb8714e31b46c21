"""Writes all that is generated from the code: `.venv/bin/python -m docs.reference_pages` (tests compare the files).

These are the reference, `docs/openapi.json` and `settings.toml`.

Commands come from their parsers, settings from their rules, tables from the migrations, the API from its OpenAPI
document. Explanations and how-tos are written by hand in `docs/`.
"""

from __future__ import annotations

import argparse
import re
import sqlite3
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final, cast

FOLDER: Final = Path(__file__).parent / "reference"
_NOTE: Final = "*Generated from the code: change it there, then run* `.venv/bin/python -m docs.reference_pages`."


def pages() -> dict[str, str]:
    """Return the name of each file of the reference with its text."""
    from hinterland.web.openapi import document

    return {
        "commands.md": "\n".join(_commands()),
        "settings.md": "\n".join(_settings()),
        "schema.md": "\n".join(_schema()),
        "api.md": "\n".join(_api(document())),
    }


def _commands() -> Iterator[str]:
    from hinterland.cli.commands import all_groups, parser

    yield from ("# Command reference", "", _NOTE, "", "What the commands are for: [commands](../commands.md).")
    in_groups = {name: group for group, names in all_groups().items() for name in names}
    for name, command in commands_of(parser()).items():
        yield from ("", f"## {name}", "", f"*{in_groups[name]}.* {_paragraph(command.description)}", "")
        yield from ("| argument | meaning |", "| --- | --- |")
        yield from (f"| {_spelled(each)} | {_meaning(each, command)} |" for each in command._actions)
        if command.epilog:
            yield from ("", "```text", command.epilog.strip(), "```")


def _spelled(action: argparse.Action) -> str:
    """Return an argument as it is typed."""
    value = action.metavar if isinstance(action.metavar, str) else action.dest
    if action.choices is not None and action.metavar is None:
        value = "|".join(str(each) for each in action.choices)
    if not action.option_strings:
        return f"`{value}`"
    takes = f" {value}" if action.nargs != 0 else ""
    return _escaped(", ".join(f"`{each}{takes}`" for each in action.option_strings))


def _meaning(action: argparse.Action, command: argparse.ArgumentParser) -> str:
    return _paragraph((action.help or "") % {**vars(action), "prog": command.prog})


def commands_of(parser: argparse.ArgumentParser) -> Mapping[str, argparse.ArgumentParser]:
    """Return the name of each command with its parser."""
    [commands] = [each for each in parser._actions if isinstance(each, argparse._SubParsersAction)]
    return cast("Mapping[str, argparse.ArgumentParser]", commands.choices)


def _settings() -> Iterator[str]:
    from hinterland.crawler.settings import SECTIONS, Settings, toml

    yield from (
        "# Settings reference",
        "",
        _NOTE,
        "",
        "Where settings come from, and which wins: [settings.toml](../../settings.toml).",
        "",
    )
    for name in SECTIONS:
        section = Settings().section(name)
        yield from (f"## {name}", "", _paragraph(type(section).__doc__), "")
        for key, rule in section.rules().items():
            option = f" Also the option `{rule.option}`." if rule.option else ""
            yield from (f"### {name}.{key}", "")
            yield from (
                f"Default `{toml(getattr(section, key))}`: {_escaped(rule.hint)}.{option}",
                "",
                _paragraph(rule.reason),
                "",
            )


def _schema() -> Iterator[str]:
    yield from (
        "# Schema reference",
        "",
        _NOTE,
        "",
        "What to ask of a store, with examples: [the store](../schema.md).",
    )
    for kind, title in (("view", "Views"), ("table", "Tables")):
        yield from ("", f"## {title}")
        for name, sql in _made(kind).items():
            yield from ("", f"### {kind} {name}", "", "```sql", sql.strip(), "```")


def names_of_schema() -> list[str]:
    """Return the names of all views and tables of a store."""
    return [*_made("view"), *_made("table")]


def unexplained_columns(explained: str) -> list[str]:
    """Return each column, as table.column, that has no comment in the migrations and no name in `explained`."""
    found = []
    for table, sql in _made("table").items():
        for line in sql.splitlines():
            column = re.match(r"[\s,]*(\w+)\s+(?:INTEGER|TEXT|REAL|BLOB)\b", line)
            if column and "--" not in line and f"`{column[1]}`" not in explained:
                found.append(f"{table}.{column[1]}")
    return found


def _made(kind: str) -> dict[str, str]:
    """Return the name of each view or table of a new store with the SQL that makes it."""
    from hinterland.storage.migrations import CREATE_MIGRATION_TABLE, pending_migrations

    with sqlite3.connect(":memory:") as store:
        store.execute(CREATE_MIGRATION_TABLE)
        for script in pending_migrations(set()):
            store.executescript(script)
        query = "SELECT name, sql FROM sqlite_master WHERE type = ? AND name NOT LIKE 'sqlite_%' ORDER BY name"
        return dict(store.execute(query, [kind]).fetchall())


def _api(document: Mapping[str, Any]) -> Iterator[str]:
    from hinterland.web.metrics_table import METRICS, PREFIX

    yield from (
        "# API reference",
        "",
        _NOTE,
        "",
        "`serve` answers these; how to use them: [in a browser](../serving.md).",
        "",
    )
    yield from (document["info"]["description"], "")
    for path, operations in document["paths"].items():
        operation = operations["get"]
        yield from (f"## GET {path}", "", operation["summary"], "")
        if operation["parameters"]:
            yield from ("| parameter | meaning | values |", "| --- | --- | --- |")
            for each in operation["parameters"]:
                required = " (required)" if each["required"] else ""
                name, meaning, values = each["name"], _escaped(each["description"]), _escaped(_values(each["schema"]))
                yield f"| `{name}`{required} | {meaning} | {values} |"
            yield ""
        yield from ("| status | answer |", "| --- | --- |")
        for status, response in operation["responses"].items():
            yield f"| {status} | {_escaped(response['description'])}{_schema_name(response)} |"
        yield ""
    yield from ("## Metrics", "", "`GET /metrics` has them in the text format of Prometheus.", "")
    yield from ("| metric | labels | meaning |", "| --- | --- | --- |")
    for name, spec in METRICS.items():
        labels = ", ".join(f"`{label}`" for label in spec.labels)
        yield f"| `{PREFIX}{name}{'_total' if spec.is_counter else ''}` | {labels} | {spec.meaning} |"
    yield from ("", "## Answers", "")
    for name, schema in document["components"]["schemas"].items():
        yield from (f"### {name}", "", _paragraph(schema.get("description", "")), "")
        if "properties" in schema:
            yield from ("| field | type |", "| --- | --- |")
            yield from (f"| `{field}` | {_escaped(_type(kind))} |" for field, kind in schema["properties"].items())
            yield ""


def _values(schema: Mapping[str, Any]) -> str:
    """Return the type of a parameter, with its bounds and default, in a few words."""
    words = [_type(schema)]
    if "minimum" in schema:
        words.append(f"{schema['minimum']:,} to {schema['maximum']:,}")
    if "default" in schema:
        words.append(f"default {schema['default']}")
    return ", ".join(words)


def _type(schema: Mapping[str, Any]) -> str:
    if "$ref" in schema:
        name = schema["$ref"].rpartition("/")[2]
        return f"[{name}](#{name.lower()})"
    if "anyOf" in schema:
        return " or ".join(_type(each) for each in schema["anyOf"])
    if "enum" in schema:
        return ", ".join(f"`{each}`" for each in schema["enum"])
    if "prefixItems" in schema:
        return f"[{', '.join(_type(each) for each in schema['prefixItems'])}]"
    if schema.get("type") == "array":
        return f"array of {_type(schema['items'])}"
    return str(schema.get("type", "any"))


def _schema_name(response: Mapping[str, Any]) -> str:
    schema = response.get("content", {}).get("application/json", {}).get("schema", {})
    return f" {_type(schema)}" if schema else ""


def _paragraph(text: str | None) -> str:
    return _escaped(" ".join((text or "").split()))


def _escaped(text: str) -> str:
    """Return text that Markdown shows as it is, also in a table."""
    return text.replace("|", "\\|").replace("<", "&lt;").replace("*", "\\*")


def main() -> None:
    """Write every generated file."""
    from hinterland.crawler.settings import Settings, render_toml
    from hinterland.web.openapi import as_text

    FOLDER.mkdir(exist_ok=True)
    written = {FOLDER / name: text for name, text in pages().items()}
    written[FOLDER.parent / "openapi.json"] = as_text()
    written[FOLDER.parents[1] / "settings.toml"] = render_toml(Settings())
    for file, text in written.items():
        file.write_text(text, encoding="utf-8")
        sys.stdout.write(f"{file.name}: {text.count(chr(10)):,} lines\n")


if __name__ == "__main__":
    main()
