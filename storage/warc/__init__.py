"""WARC files (ISO 28500, WARC 1.1): written while a crawl runs, mended after a kill, indexed and read back.

Records are built and read by warcio; what is here are the files and folders around them, and the bounds that
keep a hostile archive from taking the reader down.
"""
