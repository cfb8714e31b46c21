"""What an audit needs to know of each page beyond its text and its links."""
