"""Everything that has a figure: `make bench`."""

from benchmarks import growth, induction, tables

induction.main()
growth.main([])
tables.main(["--fresh"])
