"""The wrappers of a batch as files: one, or 256 by the hash of the site, in our JSON.

Wrappers that are there are known: their sites skip induction. A file is read, extended and
replaced, so that the sites of other batches stay in it.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from zlib import crc32

from forest_crawler.batch.site_plans import SitePlan
from forest_crawler.errors import InputError, WrapperError
from forest_crawler.export.folders import Folder, open_folder
from forest_crawler.wrapper.wrapper import Wrapper, dump_wrappers, load_wrappers

FILES = 256
"""Files in a folder: a million sites make files of some ten megabytes each."""


@dataclass(frozen=True, slots=True)
class WrapperFiles:
    """The files at an address; one that ends with `.json` is a single file."""

    address: str

    @property
    def names(self) -> list[str]:
        """The names of all files that there may be."""
        single = self._split()[1]
        return [single] if single else [f"wrappers-{number:02x}.json" for number in range(FILES)]

    def name_for(self, site: str) -> str:
        """Return the file of a site."""
        names = self.names
        return names[crc32(site.encode()) % len(names)]

    def read(self, name: str) -> dict[str, list[Wrapper]]:
        """Read the wrappers of a file by site; none if there is no such file."""
        folder = self._folder()
        data = folder.read(name)
        try:
            wrappers = load_wrappers(data.decode("utf-8-sig")) if data is not None else []
        except (UnicodeDecodeError, WrapperError) as err:
            message = f"isn't a file of wrappers: {err}"
            raise InputError(message, f"{folder.address}/{name}") from err
        sites: dict[str, list[Wrapper]] = {}
        for wrapper in wrappers:
            sites.setdefault(wrapper.site, []).append(wrapper)
        return sites

    def read_all(self) -> dict[str, list[Wrapper]]:
        """Read the wrappers of all files by site."""
        names = self.names_there()
        return {site: found for name in names for site, found in self.read(name).items()}

    def names_there(self) -> list[str]:
        """Return the names of the files that there are."""
        single = self._split()[1]
        if single:
            return [single] if self._folder().read(single) is not None else []
        return sorted(set(self._folder().names()) & set(self.names))

    def add(self, name: str, plans: Iterable[SitePlan]) -> int:
        """Add wrappers that were induced to their file; return the number of sites."""
        sites = self.read(name)
        new = {plan.site: list(plan.wrappers) for plan in plans if plan.origin == "induced"}
        if new:
            sites |= new
            ordered = [wrapper for site in sorted(sites) for wrapper in sites[site]]
            self._folder().write(name, dump_wrappers(ordered).encode())
        return len(new)

    def _folder(self) -> Folder:
        return open_folder(self._split()[0])

    def _split(self) -> tuple[str, str | None]:
        if not self.address.endswith(".json"):
            return self.address, None
        folder, slash, name = self.address.rpartition("/")
        return (folder or "/") if slash else ".", name
