"""The Spark job."""
