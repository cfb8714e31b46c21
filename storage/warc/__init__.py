"""WARC files (ISO 28500, WARC 1.1): written during a crawl, repaired after a kill, indexed and read back.

warcio builds and reads records. Here are the files and folders around them, and the bounds that keep a hostile archive
from taking the reader down.
"""
