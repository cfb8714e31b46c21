"""Imports archives from other tools into a store: WARC, WAT, CDXJ."""
