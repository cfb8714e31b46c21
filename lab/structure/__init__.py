"""The structure of a web graph: components, degrees, distances and density, with errors where estimated."""
