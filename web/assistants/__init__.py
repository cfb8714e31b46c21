"""A store for language models, by the Model Context Protocol (MCP): read-only tools, resources and a prompt."""
