"""The page model: a page's text blocks, their features, and boosted trees.

The stages, one module each: `division` (tree → blocks), `vocabulary` and `layout` (names in the
markup, sums over subtrees), `features` (one row per block) with `marks`, `records`, `headline` and
`page_traits`, `boosting` (trees as plain arrays), `kinds` (article or not), `model` (weights and
scores), `choice` (which blocks are content), `outcome` (whether the page has an article at all).
"""
