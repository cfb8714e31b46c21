"""Passes cookie gates: sites that show pages only to clients that send the site's cookie back."""
