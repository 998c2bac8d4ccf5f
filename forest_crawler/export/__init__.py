"""Wrappers and articles in the formats of other tools."""
