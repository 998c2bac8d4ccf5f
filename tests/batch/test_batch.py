"""A batch gives the articles of a crawl of the same files, and a rerun the same files."""

from __future__ import annotations

import asyncio
import json
import time
import zlib
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
from forest_crawler.cli import main
from forest_crawler.crawl.extraction_job import extract_sites
from forest_crawler.crawl.jobs import SiteJob, SiteResult
from forest_crawler.crawl.workers import Workers
from forest_crawler.datasets.bundled_sites import bundled_sites
from forest_crawler.errors import InputError, StoreError
from forest_crawler.export.folders import LocalFolder
from forest_crawler.export.manifest import check_parts, list_parts, read_entry
from tests.support.crawl_process import Crawl
from tests.support.demo_warc import site_records, write_demo_warcs, write_warc
from tests.support.object_store import s3_server
from tests.support.warc_builders import warc_record


@pytest.fixture(scope="module")
def workers() -> Iterator[Workers]:
    pool = Workers(2)
    yield pool
    pool.stop()


@pytest.fixture(scope="module")
def warcs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The bundled sites as WARC files."""
    directory = tmp_path_factory.mktemp("demo")
    write_demo_warcs(directory)
    return directory


def run(workers: Workers, inputs: list[str], output: object, **options: object) -> BatchSummary:
    chosen = BatchOptions(str(output), **{"ending": "jsonl"} | options)  # type: ignore[arg-type]
    return asyncio.run(BatchRun(list_files(inputs), chosen, workers).run())


def lines(output: Path) -> list[str]:
    folder = LocalFolder(output)
    assert list(check_parts(folder)) == []
    texts = [folder.read(part.name) or b"" for part in list_parts(folder)]
    return sorted(b"".join(texts).decode().splitlines())


def report(output: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (output / "_sites.jsonl").read_text().splitlines()]


def snapshot(output: Path) -> dict[str, bytes]:
    return {
        str(it.relative_to(output)): it.read_bytes() for it in output.rglob("*") if it.is_file()
    }


@pytest.fixture(scope="module")
def output(workers: Workers, warcs: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What a batch of the bundled sites writes."""
    path = tmp_path_factory.mktemp("batch") / "articles"
    run(workers, [str(warcs)], path)
    return path


def test_articles_are_those_of_a_crawl_byte_for_byte(
    warcs: Path, output: Path, tmp_path: Path
) -> None:
    named = [part for file in list_files([str(warcs)]) for part in ("--from-warc", file)]
    crawl = Crawl(tmp_path, (), tuple(named))
    result = crawl.run()
    assert result.returncode == 0, result.stderr
    assert lines(output) == sorted(crawl.output.read_text().splitlines())
    assert len(lines(output)) == 106  # the pages of the bundled sites that their feeds name


def test_parts_are_by_day_of_download_and_named_after_the_file(output: Path) -> None:
    names = sorted(path.name for path in (output / "day=2024-01-02").iterdir())
    assert names == [f"CC-NEWS-20240102030405-0000{n}-0000.jsonl" for n in (0, 1)]


@pytest.fixture(scope="module")
def sites(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """Two of the bundled sites, a file each."""
    directory = tmp_path_factory.mktemp("sites")
    return [
        str(write_warc(directory / f"{site.name}.warc.gz", site_records(site)))
        for site in bundled_sites()[:2]
    ]


def test_rerun_writes_the_same_files_and_induces_nothing(
    workers: Workers, sites: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run(workers, sites, tmp_path)
    before = snapshot(tmp_path)
    assert sum(name.startswith("_wrappers/") for name in before) == 2

    async def refuse(*_: object) -> None:
        raise AssertionError("induced")

    monkeypatch.setattr("forest_crawler.batch.run.induce_plan", refuse)
    run(workers, sites, tmp_path)
    assert snapshot(tmp_path) == before


def test_wrappers_can_be_one_file(workers: Workers, sites: list[str], tmp_path: Path) -> None:
    path = tmp_path / "wrappers.json"
    for number, file in enumerate(reversed(sites)):
        run(workers, [file], tmp_path / str(number), wrappers=str(path))
    found = [row["site"] for row in json.loads(path.read_text())["wrappers"]]
    assert set(found) == {"gazette-des-cols.example", "harbour-gazette.example"}
    assert found == sorted(found)


def test_files_of_an_object_store_give_the_same(
    workers: Workers, sites: list[str], tmp_path: Path
) -> None:
    run(workers, sites[:1], tmp_path / "here")
    with pytest.MonkeyPatch.context() as patch, s3_server(patch) as bucket:
        files = fsspec.filesystem("s3")
        files.put_file(sites[0], f"{bucket}/CC-NEWS/2026/11/{Path(sites[0]).name}")
        run(workers, [f"{bucket}/CC-NEWS"], f"{bucket}/articles")
        files.get(f"{bucket}/articles/", f"{tmp_path / 'there'}/", recursive=True)
    assert snapshot(tmp_path / "there") == snapshot(tmp_path / "here")


# Pages that are there more than once, and records that are broken


def test_page_that_several_files_have_is_one_article_of_the_first(
    workers: Workers, tmp_path: Path
) -> None:
    site = bundled_sites()[0]
    for name in ("a", "b"):
        write_warc(tmp_path / f"{name}.warc.gz", [*site_records(site)] * 2)
    summary = run(workers, [str(tmp_path)], tmp_path / "out")
    assert (summary.articles, summary.repeated) == (13, 39)
    assert {part.name for part in list_parts(LocalFolder(tmp_path / "out"))} == {
        "day=2024-01-02/a-0000.jsonl"
    }


def test_broken_records_are_counted_and_cost_no_others(workers: Workers, tmp_path: Path) -> None:
    good = list(site_records(bundled_sites()[0]))
    bad = warc_record("http://gazette-des-cols.example/x", b"HTTP/1.1 200 OK", length=10**6)
    data = write_warc(tmp_path / "a.warc.gz", [*good[:3], bad, *good[3:]])
    (tmp_path / "b.warc").write_text("Rain until Monday\n" * 20)
    (tmp_path / "c.warc.gz").touch()
    summary = run(workers, [str(tmp_path)], tmp_path / "out")
    assert summary.articles == 13
    assert {Path(name).name: text for name, text in summary.damaged.items()} == {
        "a.warc.gz": f"1 record cannot be read, the first at byte {_offset(data, 3)}",
        "b.warc": "no WARC file",
        "c.warc.gz": "empty",
    }
    entry = read_entry(LocalFolder(tmp_path / "out"), "a")
    assert entry is not None
    assert (entry.about["broken_records"], entry.about["articles"]) == (1, 13)


def _offset(path: Path, number: int) -> int:
    """Return the offset of the gzip member with a number."""
    data, offset = path.read_bytes(), 0
    for _ in range(number):
        member = zlib.decompressobj(16 + zlib.MAX_WBITS)
        member.decompress(data[offset:])
        offset = len(data) - len(member.unused_data)
    return offset


def test_page_beyond_the_limits_fails_and_costs_no_other(
    workers: Workers, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("forest_crawler.crawl.limited_jobs.PAGE_SECONDS", 1.0)
    monkeypatch.setattr("forest_crawler.crawl.limited_jobs.JOB_SECONDS", 1.0)
    monkeypatch.setattr("forest_crawler.crawl.limited_jobs.extract_sites", extract_or_hang)
    write_warc(tmp_path / "a.warc.gz", site_records(bundled_sites()[0]))
    summary = run(workers, [str(tmp_path)], tmp_path / "out")
    assert summary.articles == 12
    (row,) = report(tmp_path / "out")
    assert row["without_article"] == {"time-limit": 1}


def extract_or_hang(jobs: list[SiteJob]) -> list[SiteResult]:
    """Extract pages; one of them takes too long."""
    if any("loup-patou" in page.url for job in jobs for page in job.pages):
        time.sleep(60)
    return extract_sites(jobs)


# Samples


def test_the_sample_does_not_depend_on_the_order_of_records(
    workers: Workers, tmp_path: Path
) -> None:
    """Twelve pages, ten in the sample; wrappers and articles are the same in another order."""
    records = list(site_records(bundled_sites()[1], feed=False))
    assert len(records) == 12
    found = []
    for name, ordered in (("one", records), ("two", records[::-1])):
        write_warc(tmp_path / f"{name}.warc.gz", ordered)
        run(workers, [str(tmp_path / f"{name}.warc.gz")], tmp_path / name)
        wrappers = [it.read_text() for it in (tmp_path / name / "_wrappers").iterdir()]
        found.append((wrappers, lines(tmp_path / name)))
    assert found[0] == found[1]


# The report


def test_sites_that_drifted_or_have_no_wrapper_are_in_the_report(
    workers: Workers, tmp_path: Path, output: Path
) -> None:
    known = json.loads((output / "_wrappers" / _wrapper_file(output)).read_text())
    for row in known["wrappers"]:
        row["body"] = ["//div[@id='of-an-earlier-template']"]
    (tmp_path / "wrappers.json").write_text(json.dumps(known))
    write_warc(tmp_path / "a.warc.gz", site_records(bundled_sites()[0]))
    alone = list(site_records(bundled_sites()[1], feed=False))[1:2]  # after the home page
    write_warc(tmp_path / "b.warc.gz", alone)
    summary = run(
        workers, [str(tmp_path)], tmp_path / "out", wrappers=str(tmp_path / "wrappers.json")
    )
    rows = report(tmp_path / "out")
    assert {row["site"]: row["attention"] for row in rows} == {
        "gazette-des-cols.example": "drift",
        "harbour-gazette.example": "no-wrapper",
    }
    assert summary.attention == {"drift": 1, "no-wrapper": 1}


def _wrapper_file(output: Path) -> str:
    return next(
        it.name for it in (output / "_wrappers").iterdir() if "gazette-des-cols" in it.read_text()
    )


# Inputs and the command


def test_files_with_one_name_are_refused(tmp_path: Path) -> None:
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "x.warc.gz").touch()
    with pytest.raises(InputError, match="same name"):
        list_files([str(tmp_path)])


def test_folder_of_another_writer_is_refused(workers: Workers, warcs: Path, tmp_path: Path) -> None:
    LocalFolder(tmp_path).write("_manifest/outbox-000000.json", b"{}")
    with pytest.raises(InputError, match="another writer"):
        run(workers, [str(warcs)], tmp_path)


def test_file_in_the_way_of_the_output_is_an_error(
    workers: Workers, sites: list[str], tmp_path: Path
) -> None:
    (tmp_path / "day=2024-01-02").touch()
    with pytest.raises(StoreError, match="cannot be written"):
        run(workers, sites[:1], tmp_path)


def test_command_reports_and_has_exit_codes(sites: list[str], tmp_path: Path) -> None:
    file = sites[0]
    arguments = [
        "batch",
        "--warc",
        file,
        "-o",
        str(tmp_path),
        "--workers",
        "1",
        "--fields",
        "title",
    ]
    result = CliRunner().invoke(main, arguments)
    assert result.exit_code == 0, result.output
    assert f"13 articles of 1 site in 1 file: {tmp_path}" in result.stderr
    assert (tmp_path / "day=2024-01-02" / "gazette-des-cols-0000.parquet").exists()


def test_files_without_a_page_give_no_empty_line(tmp_path: Path) -> None:
    (tmp_path / "list.txt").write_text("https://gazette.example/feed\n" * 20)
    arguments = [
        "--warc",
        str(tmp_path / "list.txt"),
        "-o",
        str(tmp_path / "out"),
        "--workers",
        "1",
    ]
    result = CliRunner().invoke(main, ["batch", *arguments])
    assert result.exit_code == 3
    assert result.stderr.splitlines() == [
        "forest: 0 sites in 1 file",
        f"forest: {tmp_path}/list.txt: no WARC file",
        f"forest: 0 articles of 0 sites in 1 file: {tmp_path}/out",
    ]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["-o", "out"], "give WARC files"),
        (["--warc", "nowhere", "-o", "out"], "nowhere: no WARC file"),
        (["--warc", "x", "-o", "out", "--method", "guess"], "guess"),
        (["--warc", "x", "-o", "nosuch://out", "--fields", "colour"], "colour"),
    ],
)
def test_wrong_usage_is_named(arguments: list[str], message: str) -> None:
    result = CliRunner().invoke(main, ["batch", *arguments])
    assert result.exit_code == 2
    assert message in result.stderr
