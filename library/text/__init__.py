"""Texts that the commands and the pages of `serve` share."""
