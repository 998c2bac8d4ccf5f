"""Strings: terms, cleaning, comparison, dates, near-duplicates."""
