"""What an audit of a crawled farm should find, by the files and the server of the farm."""
