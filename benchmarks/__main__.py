"""Everything that has a figure: `make bench`."""

from benchmarks import ablation, applying, forms, growth, induction, metadata, tables

induction.main()
applying.main()
growth.main([])
ablation.main(ablation.SETS)
tables.main(["--fresh"])
forms.main()
metadata.main([])
