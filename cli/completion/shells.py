"""Completion scripts in the language of each shell. Pure.

Unlike scripts made by argcomplete, these scripts do not start the program while the user types: Python takes a sixth of
a second to start. shtab generates similar scripts, but would add a package to every installation, to replace three
functions.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping, Sequence

from hinterland.cli.completion.words import CommandWords, Option, Value

Settings = Mapping[str, Sequence[str]]
"""The names of all settings, section.key, with the values of each; no values if they cannot be listed."""


def bash(program: str, commands: Sequence[CommandWords], settings: Settings) -> str:
    """Return the script for bash 3.2 and later.

    If the possible values are unknown, file names are completed, which is bash's default.
    """
    lines = [
        f"# completion of {program} for bash",
        "_hinterland() {",
        "    local current=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} command='' word",
        "    if [[ $current == = ]]; then current=''",
        "    elif [[ $before == = ]]; then before=${COMP_WORDS[COMP_CWORD-2]}; fi",
        '    for word in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do',
        "        if [[ $word != -* ]]; then command=$word; break; fi",
        "    done",
        "    COMPREPLY=()",
        '    case "$command $before" in',
    ]
    for name, values in settings.items():  # the name is before the =, which is before the value
        if values:
            lines.append(f"        *' {name}') {_bash_words(values)}; return ;;")
    for command in commands:
        for option in command.options:
            patterns = "|".join(f"'{command.name} {name}'" for name in option.names)
            if option.value is Value.SETTING:
                keys = _bash_words([f"{name}=" for name in settings])
                lines.append(f"        {patterns}) compopt -o nospace 2> /dev/null; {keys}; return ;;")
            elif option.words:
                lines.append(f"        {patterns}) {_bash_words(option.words)}; return ;;")
            elif option.value is not Value.NONE:
                lines.append(f"        {patterns}) return ;;")
    lines += [
        "    esac",
        '    case "$command" in',
        f"        '') {_bash_words([each.name for each in commands] + ['--help', '--version'])} ;;",
    ]
    for command in commands:
        names = [name for option in command.options for name in option.names]
        words = [word for other in command.others for word in other.words]
        lines.append(f"        {command.name}) if [[ $current == -* ]]; then {_bash_words(names)}")
        lines.append(f"            else {_bash_words(words)}; fi ;;" if words else "            fi ;;")
    return "\n".join([*lines, "    esac", "}", f"complete -o default -F _hinterland {program}", ""])


def _bash_words(words: Sequence[str]) -> str:
    return f"""COMPREPLY=($(compgen -W {shlex.quote(" ".join(words))} -- "$current"))"""


def zsh(program: str, commands: Sequence[CommandWords], settings: Settings) -> str:
    """Return the script for zsh. The user puts it into a folder of fpath, or sources it."""
    lines = [
        f"#compdef {program}",
        "_hinterland_setting() {",
        '    if compset -P "*="; then',
        "        case ${IPREFIX%=} in",
        *(f"            *{name}) compadd {' '.join(values)} ;;" for name, values in settings.items() if values),
        "        esac",
        f"    else compadd -S = {' '.join(settings)}; fi",
        "}",
        "_hinterland() {",
        "    local -a commands",
        "    local context state state_descr line",
        "    typeset -A opt_args",
        "    commands=(",
        *(f"        {shlex.quote(each.name + ':' + _escaped(each.help, ':'))}" for each in commands),
        "    )",
        "    _arguments -C '(- : *)'{-h,--help}'[show help]' '(- : *)--version[print the version]' \\",
        "        '1: :->command' '*:: :->others' && return",
        "    case $state in",
        "        command) _describe -t commands command commands ;;",
        "        others) case $words[1] in",
    ]
    for command in commands:
        lines.append(f"            {command.name}) _arguments -s \\")
        lines += [f"                {each} \\" for each in _zsh_specifications(command)]
        lines.append("                ;;")
    lines += ["        esac ;;", "    esac", "}"]
    lines += ['if [[ $funcstack[1] == _hinterland ]]; then _hinterland "$@"', f"else compdef _hinterland {program}; fi"]
    return "\n".join([*lines, ""])


def _zsh_specifications(command: CommandWords) -> Iterator[str]:
    for option in command.options:
        for name in option.names:
            repeats = "*" if option.is_repeatable else ""
            takes = "" if option.value is Value.NONE else f":{_zsh_values(option)}"
            yield shlex.quote(f"{repeats}{name}[{_escaped(option.help, ':[]')}]{takes}")
    for place, other in enumerate(command.others, 1):
        where = "*" if other.is_repeatable else str(place)
        yield shlex.quote(f"{where}:{_zsh_values(other)}")


def _zsh_values(option: Option) -> str:
    action = " "
    if option.words:
        action = f"({' '.join(option.words)})"
    elif option.value is Value.FILE:
        action = "_files"
    elif option.value is Value.SETTING:
        action = "_hinterland_setting"
    return f"{_escaped(option.name_of_value, ':')}:{action}"


def fish(program: str, commands: Sequence[CommandWords], settings: Settings) -> str:
    """Return the script for fish."""
    names = " ".join(f"{name}=" for name in settings)
    pairs = " ".join(f"{name}={value}" for name, values in settings.items() for value in values)
    lines = [
        f"# completion of {program} for fish",
        "function __hinterland_settings",
        "    if string match -q '*=*' -- (commandline -ct)",
        f"        printf '%s\\n' {pairs}",
        "    else",
        f"        printf '%s\\n' {names}",
        "    end",
        "end",
        f"complete -c {program} -f",
        f"complete -c {program} -n __fish_use_subcommand -s h -l help -d 'show help'",
        f"complete -c {program} -n __fish_use_subcommand -l version -d 'print the version'",
    ]
    for command in commands:
        about = _fish_quoted(command.help)
        lines.append(f"complete -c {program} -n __fish_use_subcommand -a {command.name} -d {about}")
    for command in commands:
        begin = f"complete -c {program} -n '__fish_seen_subcommand_from {command.name}'"
        for option in command.options:
            names = " ".join(f"-l {each[2:]}" if each.startswith("--") else f"-s {each[1:]}" for each in option.names)
            lines.append(f"{begin} {names}{_fish_values(option)} -d {_fish_quoted(option.help)}")
        known = [each for each in command.others if each.words or each.value is Value.FILE]
        lines += [f"{begin}{_fish_values(each)}" for each in known]
    return "\n".join([*lines, ""])


def _fish_values(option: Option) -> str:
    if option.words:
        return f"{' -x' * bool(option.names)} -a {_fish_quoted(' '.join(option.words))}"
    if option.value is Value.SETTING:
        return " -x -a '(__hinterland_settings)'"
    if option.value is Value.FILE:
        return f"{' -r' * bool(option.names)} -F"
    return " -x" if option.value is Value.TEXT else ""


def _fish_quoted(text: str) -> str:
    return "'" + _escaped(text, "\\'") + "'"


def _escaped(text: str, letters: str) -> str:
    return "".join("\\" + each if each in letters else each for each in text)
