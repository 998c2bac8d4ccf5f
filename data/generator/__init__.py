"""Turn the hand-written parts of `data/parts` into the sites of `data/sites`.

parts ─▶ site ─▶ slots ─▶ page, home, feed ─▶ package

Everything a site shows is data: texts in `articles.txt`, markup in `page.html`, `home.html` and
`snippets.html`. A new site is a new folder without code.
"""
