"""A store for language models, by the Model Context Protocol (MCP): tools, resources and a prompt. All only read."""
