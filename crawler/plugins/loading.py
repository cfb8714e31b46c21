"""Finds, imports and checks plug-ins, and explains to their authors and users what is wrong with a plug-in."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any, Final

from hinterland.crawler.plugins.kinds import KINDS, PluginKind
from hinterland.distribution.installation import NAME, may_be_offered, own_entry_points

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

_UNDER_WAY: Final[list[Path]] = []
"""The plug-in files that are being run now, the innermost last."""
OWN_ORIGIN: Final = "Hinterland itself"
_NAME: Final = re.compile(r"[a-z0-9]+([_-][a-z0-9]+)*")


class PluginError(Exception):
    """Raised if a plug-in cannot be used. The message names the plug-in, the reason and the way out."""


class _AsksForItself(BaseException):
    """Raised if a file that is being run as a plug-in requests itself as a plug-in.

    Such a file is a program that contains its own plug-ins. It has defined its plug-ins before it requests them, so the
    rest of the file is not run. This class is not derived from Exception, so that the file does not catch it by
    mistake.
    """

    def __init__(self, file: Path) -> None:
        """`file` is the resolved path of the program."""
        super().__init__(str(file))
        self.file = file


@dataclass(frozen=True, slots=True)
class Plugin:
    """A plug-in that was imported and checked.

    `origin` is its file or package, for messages. `what` is a class, a function or an object, as its kind requires.
    """

    kind: PluginKind
    name: str
    origin: str
    what: Any


def plugins_of(files: Sequence[str], kinds: Sequence[PluginKind] = KINDS) -> list[Plugin]:
    """Run plug-in files, and return all their plug-ins of these kinds. Raises PluginError."""
    found: dict[tuple[str, str], Plugin] = {}
    for file in dict.fromkeys(files):
        for plugin in _of_file(Path(file), kinds):
            other = found.setdefault((plugin.kind.noun, plugin.name), plugin)
            if other is not plugin:
                raise PluginError(
                    f"{file}: {other.origin} has the {plugin.kind.noun} {plugin.name!r}, too; rename one of them,"
                    " or drop one of the files"
                )
    return list(found.values())


def own_names(kind: PluginKind) -> list[str]:
    """Return the names of the plug-ins that are part of Hinterland, in order of declaration, without importing them."""
    return list(own_entry_points(kind.group))


def installed_names(kind: PluginKind) -> list[str]:
    """Return the names of the plug-ins of other installed packages, sorted, without importing them."""
    return sorted({each.name for each in _of_others(kind)})


def installed_origins(kind: PluginKind, name: str) -> list[str]:
    """Return the names of the other packages that offer this plug-in, sorted."""
    return sorted({_origin(each) for each in _of_others(kind) if each.name == name})


def installed_plugin(kind: PluginKind, name: str) -> Plugin | None:
    """Import and return the plug-in of this name; None if nothing offers it.

    A plug-in that is part of Hinterland takes precedence over one of an installed package. Raises PluginError.
    """
    if own := own_entry_points(kind.group).get(name):
        module, _, attribute = own.partition(":")
        what = import_module(module)
        return _looked_at(Plugin(kind, name, OWN_ORIGIN, getattr(what, attribute) if attribute else what))
    offers = {_origin(each): each for each in _of_others(kind) if each.name == name}
    if not offers:
        return None
    if len(offers) > 1:
        raise PluginError(
            f"the {kind.noun} {name!r} is offered by {' and by '.join(sorted(offers))}; uninstall all but one of them"
        )
    [(origin, offer)] = offers.items()
    try:
        what = offer.load()
    except (Exception, SystemExit) as error:
        raise PluginError(
            f"the {kind.noun} {name!r} of {origin} cannot be imported ({offer.value}): {_told(error)};"
            " fix or uninstall that package"
        ) from error
    return _looked_at(Plugin(kind, name, origin, what))


def plugin_named(kind: PluginKind, name: str, files: Sequence[str]) -> Plugin:
    """Return the plug-in of this name from the files or, if no file has it, from an installed package.

    Raises PluginError if neither has it.
    """
    for plugin in plugins_of(files, [kind]):
        if plugin.name == name:
            return plugin
    found = installed_plugin(kind, name)
    if found is None:
        raise PluginError(f"no plug-in file and no installed package has the {kind.noun} {name!r} any more; restore it")
    return found


def is_running_program(path: Path) -> bool:
    """Return whether this process runs the file itself, as a script or as the module of `python -m`."""
    file = getattr(sys.modules["__main__"], "__file__", None)
    return file is not None and Path(file).resolve() == path.resolve()


def _of_file(path: Path, kinds: Sequence[PluginKind]) -> Iterator[Plugin]:
    module = _imported(path)
    tables = {kind.table: getattr(module, kind.table) for kind in KINDS if hasattr(module, kind.table)}
    if not tables:
        raise PluginError(
            f"{path} has no plug-in: it needs a dict, name -> plug-in, called"
            f" {' or '.join(kind.table for kind in KINDS)}"
        )
    for kind in kinds:
        table = tables.get(kind.table, {})
        if not isinstance(table, dict):
            raise PluginError(f"{path}: {kind.table} must be a dict, name -> {kind.noun}, not {table!r}")
        for name, what in table.items():
            if not (isinstance(name, str) and _NAME.fullmatch(name)):
                raise PluginError(
                    f"{path}: {kind.table} has {name!r}; a name consists of lower-case letters and digits,"
                    " with - or _ inside"
                )
            yield _looked_at(Plugin(kind, name, str(path), what))


def _imported(path: Path) -> ModuleType:
    """Run a file as a module and return the module. No bytecode is written into the folder, which belongs to the user.

    If the file is the running program, it is not run again. In another process it is run up to the point where it
    requests itself as a plug-in.
    """
    try:
        source = path.read_bytes()
    except OSError as error:
        raise PluginError(f"the plug-in {path} cannot be read: {error.strerror}") from None
    file = path.resolve()
    if file in _UNDER_WAY:
        raise _AsksForItself(file)
    if is_running_program(path):
        return sys.modules["__main__"]
    import hashlib

    digest = hashlib.sha256(bytes(path.absolute())).hexdigest()[:8]
    module = ModuleType(f"hinterland_plugin_{path.stem}_{digest}")
    module.__file__ = str(path.absolute())
    sys.modules[module.__name__] = module  # dataclasses and pickle look for it here
    _UNDER_WAY.append(file)
    try:
        exec(compile(source, str(path), "exec", dont_inherit=True), vars(module))
    except _AsksForItself as request:
        if request.file != file:
            raise
    except (Exception, SystemExit) as error:
        sys.modules.pop(module.__name__, None)
        raise PluginError(
            f"the plug-in {path} cannot be imported: {_told(error, str(path))}; fix it, or leave it out"
        ) from error
    finally:
        _UNDER_WAY.pop()
    return module


def _looked_at(plugin: Plugin) -> Plugin:
    """Return the plug-in if it has what its kind requires. Raises PluginError."""
    kind, where = plugin.kind, f"the {plugin.kind.noun} {plugin.name!r} of {plugin.origin}"
    try:
        made = kind.one_of(plugin.what)
    except Exception as error:
        raise PluginError(f"{where} cannot be made: {_told(error, plugin.origin)}; fix it, or leave it out") from error
    lacking = [each for each in kind.needs if not hasattr(made, each)]
    if lacking:
        raise PluginError(f"{where} lacks {' and '.join(lacking)}; see {kind.group} for a base class or an example")
    return plugin


def _of_others(kind: PluginKind) -> list[EntryPoint]:
    if not may_be_offered(kind.group):
        return []
    from importlib.metadata import entry_points  # imported here, since this is slow, and most kinds do not need it

    return [each for each in entry_points(group=kind.group) if each.dist is None or each.dist.name != NAME]


def _origin(offer: EntryPoint) -> str:
    return "an unnamed package" if offer.dist is None else f"{offer.dist.name} {offer.dist.version}"


def _told(error: BaseException, path: str = "") -> str:
    """Describe an exception in one line, with the line number in the file `path` at which it was raised."""
    import traceback

    lines = [each.lineno for each in traceback.extract_tb(error.__traceback__) if each.filename == path]
    if isinstance(error, SyntaxError) and error.filename == path:
        return f"line {error.lineno}: {error.msg}"
    place = f"line {lines[-1]}: " if lines else ""
    return f"{place}{type(error).__name__}: {' '.join(str(error).split())}".removesuffix(": ")
