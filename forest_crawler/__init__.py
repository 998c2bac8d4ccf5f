"""Turn a list of feeds into clean articles and per-site XPath wrappers."""
