"""Run every benchmark: `make bench`."""

from benchmarks import (
    ablation,
    crawl,
    feeds,
    forms,
    growth,
    images,
    induction,
    join,
    leases,
    lost_text,
    metadata,
    page_command,
    quality,
    snippets,
    speed,
    tables,
)

induction.main()
growth.main([])
speed.main([])
feeds.main()
page_command.main()
crawl.main([])
leases.main([])
join.main(["--speed"])
ablation.main(ablation.SETS)
tables.main(["--fresh"])
forms.main()
metadata.main([])
lost_text.main([])
images.main()
quality.main([])
snippets.main([])
