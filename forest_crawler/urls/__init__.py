"""Which URLs may be fetched, and which of them are one article or one site."""
