"""Topics and the pages they are learnt from, in files and stores."""
