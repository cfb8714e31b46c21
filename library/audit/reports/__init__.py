"""Reports of an audit in several formats, one file each."""
