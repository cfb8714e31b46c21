"""In which encoding a page is written."""
