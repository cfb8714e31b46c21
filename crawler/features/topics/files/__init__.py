"""Reads and writes topics in files, and reads the pages from which topics are learnt, in files and stores."""
