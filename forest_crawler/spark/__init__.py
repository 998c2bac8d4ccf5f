"""The Spark job: a batch over WARC files on many machines.

Every stage runs the functions of `forest_crawler.batch`; Spark moves samples, wrappers and counts
between them. Pages stay in their files, except for the ten of each site's sample.
"""
