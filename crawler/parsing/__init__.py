"""From the bytes of a body to links and text."""
