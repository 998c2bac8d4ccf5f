"""Write the result of an evaluation as one HTML file."""

from forest_crawler.evaluation.report.document import write_report

__all__ = ["write_report"]
