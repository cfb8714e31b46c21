"""Reads and writes topics, and the pages they are learnt from, in files and stores."""
