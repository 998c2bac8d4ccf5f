"""An article's content: selected nodes → blocks → text, HTML and Markdown."""
