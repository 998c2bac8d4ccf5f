"""Everything that has a figure: `make bench`."""

from benchmarks import forms, growth, induction, metadata, tables

induction.main()
growth.main([])
tables.main(["--fresh"])
forms.main()
metadata.main([])
