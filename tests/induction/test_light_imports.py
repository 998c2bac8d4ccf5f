"""Induction loads no package that isn't installed with this one."""

from __future__ import annotations

import subprocess
import sys

LOADED = """
import sys
from forest_crawler import induce, parse_page
page = "<h1>{0} opens</h1><p>The new {0} opens on Monday, said the mayor of the town: the {0} was "
page += "built in two years by local people, and visitors may see the {0} for free in June."
wrappers = induce([parse_page(page.format(it)) for it in ("ferry", "bakery", "museum")])
print(len(wrappers), "sklearn" in sys.modules, "scipy" in sys.modules)
"""


def test_induction_loads_neither_scikit_learn_nor_scipy() -> None:
    run = subprocess.run([sys.executable, "-c", LOADED], capture_output=True, text=True, check=True)
    assert run.stdout.split() == ["1", "False", "False"]
