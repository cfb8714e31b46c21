"""Plug-ins: what others add without editing the package, from a file (`--plugin FILE`) or an installed package.

A new kind of plug-in is a `PluginKind` in `kinds`; code that uses one asks `loading` for it, which works in any
process. The module of the package `hinterland` that is named like the kind's group exports what such plug-ins are made
of. The commands add policies, revisit policies, estimators and exporters to the tables of their rooms
(`library/plugin_tables.py`).
"""
