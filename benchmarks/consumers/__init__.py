"""Run the programs that exported rules are for, and compare what they show with our simulations."""
