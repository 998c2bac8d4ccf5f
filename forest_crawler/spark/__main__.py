"""`python -m forest_crawler.spark`, and the file that `spark-submit` takes."""

from forest_crawler.spark.command import main

if __name__ == "__main__":
    main()
