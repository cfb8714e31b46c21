"""Plug-ins: what others add without editing the package, from a file (`--plugin FILE`) or an installed package.

Another kind of plug-in is a `PluginKind` in `kinds`, and whoever needs one asks `loading` for it: it works in any
process. What plug-ins of a kind are made of is handed on by the module of the package `hinterland` that is called as
the kind's group. The commands enter policies, those of revisits too, estimators and exporters in the tables of their
rooms (`library/plugin_tables.py`).
"""
