"""Text by itself: terms, cleaning, comparison, dates, near-duplicates."""
