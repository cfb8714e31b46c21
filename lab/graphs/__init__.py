"""Opens graphs in files of several formats."""
