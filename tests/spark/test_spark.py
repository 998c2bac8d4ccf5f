"""A batch on Spark writes the same files as one in the worker pool."""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import fsspec
import pytest
from click.testing import CliRunner

from forest_crawler.batch.inputs import list_files
from forest_crawler.batch.options import BatchOptions
from forest_crawler.batch.report import BatchSummary
from forest_crawler.batch.run import BatchRun
from forest_crawler.crawl.workers import Workers
from forest_crawler.datasets.bundled_sites import bundled_sites
from forest_crawler.spark.command import command
from tests.support.demo_warc import site_records, write_demo_warcs, write_warc
from tests.support.object_store import s3_server
from tests.support.warc_builders import http_response, warc_record

pyspark = pytest.importorskip("pyspark", reason="needs pyspark: make scale")
if shutil.which("java") is None and "JAVA_HOME" not in os.environ:
    pytest.skip("needs a Java runtime, as openjdk-17-jre-headless", allow_module_level=True)

ROOT = Path(__file__).parents[2]
CONF = {
    "spark.master": "local[2]",
    "spark.app.name": "test",
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.driver.host": "127.0.0.1",
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.driver.memory": "512m",
    # The tests are too short for what the optimising compiler and parallel collectors save.
    "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
}


@pytest.fixture(scope="module")
def bucket() -> Iterator[str]:
    """An object store, whose address Spark's processes get when they start."""
    with pytest.MonkeyPatch.context() as patch, s3_server(patch) as address:
        yield address


@pytest.fixture(scope="module")
def context(bucket: str) -> Iterator[Any]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYSPARK_PYTHON", sys.executable)
        patch.setenv("PYTHONPATH", str(ROOT))
        patch.setenv("SPARK_LOCAL_IP", "127.0.0.1")
        opened = pyspark.SparkContext(conf=pyspark.SparkConf().setAll(list(CONF.items())))
        opened.setLogLevel("ERROR")
        yield opened
        opened.stop()


@pytest.fixture(scope="module")
def warcs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The bundled sites as WARC files."""
    directory = tmp_path_factory.mktemp("demo")
    write_demo_warcs(directory)
    return directory


@pytest.fixture(scope="module")
def expected(warcs: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """What a batch in the worker pool writes, which is what a crawl gives."""
    output, workers = tmp_path_factory.mktemp("batch"), Workers(2)
    try:
        files, options = list_files([str(warcs)]), BatchOptions(str(output), ending="jsonl")
        asyncio.run(BatchRun(files, options, workers).run())
    finally:
        workers.stop()
    return snapshot(output)


def snapshot(output: Path) -> dict[str, bytes]:
    files = (it for it in output.rglob("*") if it.is_file())
    return {str(it.relative_to(output)): it.read_bytes() for it in files}


def run(
    context: Any, inputs: Path | str, options: BatchOptions, max_broadcast: int = 1 << 20
) -> BatchSummary:
    from forest_crawler.spark.job import SparkBatch

    return SparkBatch(context, list_files([str(inputs)]), options, max_broadcast).run()


def test_the_bundled_sites_give_the_same_files_also_in_a_rerun(
    context: Any, warcs: Path, expected: dict[str, bytes], tmp_path: Path
) -> None:
    options = BatchOptions(str(tmp_path), ending="jsonl")
    summary = run(context, warcs, options)
    assert snapshot(tmp_path) == expected
    assert summary.articles == 106
    assert summary.figures["sample_pages"] == 10 * len(bundled_sites())
    # The wrappers are known now, and too large to broadcast: they are joined by file.
    again = run(context, list_files([str(warcs)])[1], options, max_broadcast=0)
    assert again.figures["sample_pages"] == 0
    del expected["_sites.jsonl"]  # which is of the last run's sites
    assert expected.items() <= snapshot(tmp_path).items()


def test_ten_pages_of_a_site_are_shuffled_however_many_there_are(
    context: Any, tmp_path: Path
) -> None:
    """Forty pages of one site, and three of another, in an object store's layout."""
    pages = sorted(bundled_sites()[1].glob("*.html"))
    records = [
        warc_record(f"http://{site}.example/{number}", http_response(page.read_bytes()))
        for site, times in (("many", 4), ("few", 1))
        for number, page in enumerate(pages[:10] * times)
        if site == "many" or number < 3
    ]
    write_warc(tmp_path / "a.warc.gz", records)
    summary = run(context, tmp_path, BatchOptions(str(tmp_path / "out"), ending="jsonl"))
    assert summary.figures["sample_pages"] == 10 + 3
    assert summary.articles == 43


def test_pages_beyond_the_limits_and_broken_records_cost_no_others(
    context: Any, tmp_path: Path
) -> None:
    from tests.support.hanging_page import HangingOptions

    good = list(site_records(bundled_sites()[0]))
    bad = warc_record("http://gazette-des-cols.example/x", b"HTTP/1.1 200 OK", length=10**6)
    write_warc(tmp_path / "a.warc.gz", [*good[:3], bad, *good[3:]])
    (tmp_path / "b.warc").write_text("Rain until Monday\n" * 20)
    summary = run(context, tmp_path, HangingOptions(str(tmp_path / "out"), ending="jsonl"))
    assert summary.articles == 11
    assert {Path(name).name for name in summary.damaged} == {"a.warc.gz", "b.warc"}
    (row,) = map(json.loads, (tmp_path / "out" / "_sites.jsonl").read_text().splitlines())
    assert row["without_article"] == {"time-limit": 1, "worker-died": 1}


def test_files_of_an_object_store_give_the_same(
    context: Any, bucket: str, warcs: Path, expected: dict[str, bytes], tmp_path: Path
) -> None:
    files = fsspec.filesystem("s3")
    name = "CC-NEWS/2024/01/CC-NEWS-20240102030405-00001.warc.gz"
    files.put_file(str(warcs / name), f"{bucket}/{name}")
    run(context, f"{bucket}/CC-NEWS", BatchOptions(f"{bucket}/out", ending="jsonl"))
    files.get(f"{bucket}/out/", f"{tmp_path}/", recursive=True)
    found = snapshot(tmp_path)
    for name in ("_manifest/{}.json", "day=2024-01-02/{}-0000.jsonl"):
        part = name.format("CC-NEWS-20240102030405-00001")
        assert found[part] == expected[part]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [(["-o", "out"], "give WARC files"), (["--warc", "x", "-o", "y", "--format", "xml"], "xml")],
)
def test_wrong_usage_needs_no_spark(arguments: list[str], message: str) -> None:
    result = CliRunner().invoke(command, arguments)
    assert result.exit_code == 2
    assert message in result.stderr
