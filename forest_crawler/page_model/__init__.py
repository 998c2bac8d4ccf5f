"""Text blocks of one page, what speaks for and against each, and a small model that weighs it.

The way of the data, a module each: `division` (tree → blocks), `vocabulary` and `layout` (markup
and sums over subtrees), `statement` (what the page says of itself), `features` (a row a block),
`boosting` (trees as plain arrays), `kinds` (article or not), `model` (the weights and the scores),
`choice` (which blocks are content).
"""
