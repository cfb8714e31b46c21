"""Graphs to be measured, out of whatever file holds one."""
