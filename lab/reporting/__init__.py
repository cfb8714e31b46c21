"""The structure of a graph in a form for people: figures in words, and pictures as coordinates for SVG."""
