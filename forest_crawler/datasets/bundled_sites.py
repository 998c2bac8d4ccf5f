"""The sites that come with the package, for the demo and the tests.

They are in `data/sites` of the repository and installed as `forest_crawler.data`.
"""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path

from forest_crawler.datasets.labelled_pages import DESCRIPTION_FILE
from forest_crawler.errors import InputError

_PACKAGE = "forest_crawler.data"


def bundled_sites() -> list[Path]:
    """Return the directories of the bundled sites, each a test package, by name.

    >>> [site.name for site in bundled_sites() if site.name.startswith("harbour")]
    ['harbour-gazette']
    """
    try:
        root = Path(str(files(_PACKAGE))) / "sites"
    except ModuleNotFoundError as err:
        raise InputError("not installed; run `pip install .` in a checkout", _PACKAGE) from err
    return sorted(file.parent for file in root.glob(f"*/{DESCRIPTION_FILE}"))
