"""Reads /.well-known/tdmrep.json, in which sites reserve rights to text and data mining."""
