"""Page-level extraction methods, one file per method, and their registry."""
