"""The laboratory: measures, models and samples the web graph, and simulates crawls of it."""
