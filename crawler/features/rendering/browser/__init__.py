"""Pages as a headless Chromium shows them, in processes of its own without a way to the network."""
