"""Labelled pages: files on disk, test packages, the bundled sites."""
