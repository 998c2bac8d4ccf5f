"""What other programs make of exported rules: one module per program, as pure functions.

Each follows the program's source: which parser reads the page, which elements are taken, where
removals apply, and in which order. `make consumers` compares them with the programs themselves.
"""
