"""The wheel is small, has one top-level package, and includes the bundled sites."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import sysconfig
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from zipfile import ZipFile

import pytest

from forest_crawler.datasets.bundled_sites import bundled_sites

ROOT = Path(__file__).parent.parent
SOURCES = ("data", "forest_crawler", "pipelines", "spiders")
FILES = ("pyproject.toml", "README.md", "LICENSE")


def has_setuptools() -> bool:
    """Return whether setuptools 77 is installed, which the build needs (extra `dev`)."""
    try:
        return int(version("setuptools").split(".")[0]) >= 77
    except PackageNotFoundError:
        return False


pytestmark = pytest.mark.skipif(not has_setuptools(), reason="setuptools 77 is not installed")


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the wheel from a copy, because setuptools writes into the source tree."""
    copy, output = tmp_path_factory.mktemp("source"), tmp_path_factory.mktemp("wheel")
    for name in SOURCES:
        shutil.copytree(ROOT / name, copy / name, ignore=shutil.ignore_patterns("__pycache__"))
    for name in FILES:
        shutil.copy(ROOT / name, copy)
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--quiet", "wheel"]
    options = ["--no-deps", "--no-build-isolation", "--no-index", "--wheel-dir", str(output)]
    subprocess.run([*pip, *options, str(copy)], check=True, capture_output=True)
    (file,) = output.glob("*.whl")
    return file


def test_the_wheel_has_one_top_level_package(wheel: Path) -> None:
    tops = {name.split("/")[0] for name in ZipFile(wheel).namelist()}
    assert {top for top in tops if not top.endswith(".dist-info")} == {"forest_crawler"}


def test_the_wheel_has_every_module_and_no_other(wheel: Path) -> None:
    packaged = {name for name in ZipFile(wheel).namelist() if name.endswith(".py")}
    library = {path.relative_to(ROOT).as_posix() for path in ROOT.glob("forest_crawler/**/*.py")}
    mapped = {
        f"forest_crawler/{path.relative_to(ROOT).as_posix()}"
        for name in ("data", "pipelines", "spiders")
        for path in (ROOT / name).glob("*.py")
    }
    assert packaged == library | mapped, "a new package is listed in pyproject.toml"
    assert {name for name in packaged if "/data/" in name} == {"forest_crawler/data/__init__.py"}


def test_the_wheel_has_the_style_sheet_of_reports(wheel: Path) -> None:
    assert "forest_crawler/evaluation/report/style.css" in ZipFile(wheel).namelist()


def test_the_wheel_is_below_two_megabytes(wheel: Path) -> None:
    assert wheel.stat().st_size < 2_000_000


def test_the_bundled_sites_are_found_in_the_wheel(wheel: Path, tmp_path: Path) -> None:
    with ZipFile(wheel) as archive:
        archive.extractall(tmp_path)
    code = (
        "from forest_crawler.datasets.bundled_sites import bundled_sites as sites\n"
        "for site in sites(): print(site)"
    )
    printed = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "PYTHONPATH": str(tmp_path)},
        cwd=tmp_path,
        check=True,
        capture_output=True,
        text=True,
    ).stdout
    expected = [tmp_path / "forest_crawler" / "data" / "sites" / s.name for s in bundled_sites()]
    assert printed.splitlines() == [str(path) for path in expected]


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Install the wheel into an environment that shares the tests' dependencies."""
    home = tmp_path_factory.mktemp("environment")
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(home)], check=True)
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--quiet"]
    target = ["--python", str(home), "install", "--no-deps", "--no-index", str(wheel)]
    subprocess.run([*pip, *target], check=True, capture_output=True)
    # A directory in a .pth file adds its packages, but not its editable installs.
    (site,) = home.glob("lib/python*/site-packages")
    (site / "dependencies.pth").write_text(sysconfig.get_path("purelib") + "\n")
    return home / "bin"


def test_the_demo_runs_from_the_wheel(installed: Path, tmp_path: Path) -> None:
    env = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    code = "import forest_crawler.spiders.feeds as it; print(it.__file__)"
    where = subprocess.run(
        [installed / "python", "-c", code],
        cwd=tmp_path,
        env=env,
        check=True,
        capture_output=True,
        text=True,
    )
    assert Path(where.stdout).is_relative_to(installed.parent)
    demo = subprocess.run(
        [installed / "forest", "demo", "-o", "out"],
        cwd=tmp_path,
        env=env,
        check=False,
        capture_output=True,
        text=True,
    )
    assert demo.returncode == 0, demo.stderr
    assert "Traceback" not in demo.stderr
    lines = (tmp_path / "out" / "articles.jsonl").read_text().splitlines()
    sites = {json.loads(line)["site"] for line in lines}
    assert sites == {f"{site.name}.localhost" for site in bundled_sites()}
    for site in bundled_sites():
        assert site.name in demo.stdout
