"""The plain values that are written to the link store and read from it.

Pure modules may import nothing else of this package.
"""
