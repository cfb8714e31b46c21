"""Proxies: which hosts are reached through which one."""
