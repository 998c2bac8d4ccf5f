"""FOREST exactly as published, and its Coverage baseline."""
