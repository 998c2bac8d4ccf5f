"""Write the bundled sites: `python -m data.generator`, or compare with `--check`.

Each folder of `data/parts` becomes one test package in `data/sites`. `--root` names another folder
than `data` that has `parts`.
"""

import argparse
import sys
from pathlib import Path

from .package import build_packages, find_differences, write_packages
from .site import read_sites

DATA = Path(__file__).resolve().parent.parent


def main() -> int:
    """Rewrite `data/sites`, or with `--check` report whether it is up to date."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="exit 1 when the sites differ")
    parser.add_argument("--root", type=Path, default=DATA, help="folder of parts and sites")
    options = parser.parse_args()
    files = build_packages(read_sites(options.root / "parts"))
    if not options.check:
        write_packages(files, options.root / "sites")
        return 0
    differences = find_differences(files, options.root / "sites")
    for line in differences:
        print(line, file=sys.stderr)
    return 1 if differences else 0


if __name__ == "__main__":
    sys.exit(main())
