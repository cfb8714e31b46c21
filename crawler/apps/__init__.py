"""What people use: commands, search, pages in a browser, imports, experiments, the demo."""
