"""Peers: other people's extractors, evaluated beside ours; one adapter per file."""
