"""Proxies, and which hosts are reached through each."""
