"""WARC files (ISO 28500, WARC 1.1): written during a crawl, repaired after a kill, indexed and read back.

warcio builds and reads records. This package adds files and folders, and limits that protect the reader from hostile
archives.
"""
