"""The store: frontier, raw pages, wrappers and outbox in one database."""
