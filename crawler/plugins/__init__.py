"""Plug-ins: extensions from a file (`--plugin FILE`) or an installed package, which leave this package unchanged.

A new kind of plug-in is a `PluginKind` in `kinds`. Code that uses plug-ins gets them from `loading`, which works in any
process. The package `hinterland` has a module for each kind, named after the kind's group of entry points, that exports
the base classes and types for such plug-ins. The commands add policies, revisit policies, estimators and exporters to
the tables of their rooms (`library/plugin_tables.py`).
"""
