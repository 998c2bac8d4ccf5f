"""Other people's extractors, measured beside ours: one adapter a file, one registry."""
