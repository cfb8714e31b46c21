"""Plug-ins: additions from a file (`--plugin FILE`) or an installed package, made without editing this package.

A new kind of plug-in is a `PluginKind` in `kinds`. Code that uses plug-ins gets them from `loading`, which works in any
process. For each kind, the module of the package `hinterland` named like the kind's group exports the base classes and
types for such plug-ins. The commands add policies, revisit policies, estimators and exporters to the tables of their
rooms (`library/plugin_tables.py`).
"""
