"""Visits carried out, one at a time each: to a page, or for what a host is asked before its pages.

A visit comes from the frontier by way of the engine. Whatever it brings goes to the ledger and, as a record, to the
store; only then is it over.
"""
