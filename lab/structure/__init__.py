"""The structure of a web graph: components, degrees, distances and density; estimates have errors."""
