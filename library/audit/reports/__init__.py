"""Reports of an audit in several forms, one file each."""
