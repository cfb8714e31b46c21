"""Lets language models use a store by the Model Context Protocol (MCP): read-only tools, resources and a prompt."""
