"""Page-level extraction methods, one file a method, one registry."""
