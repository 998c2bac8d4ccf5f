"""The errors of the library: a short tree of classes by subject.

"Nothing found" is never an error; it is an empty `Selection`.
"""

from __future__ import annotations

import errno
from typing import Self


class ForestError(Exception):
    """Input of the caller that cannot be used; the message says what to do."""


class PageError(ForestError):
    """A page that cannot be parsed into a tree.

    This and all errors below pass their attributes as arguments, so that they survive pickling on
    the way back from a worker process.
    """

    def __init__(self, message: str, page: str | None = None) -> None:
        super().__init__(message, page)
        self.message = message
        self.page = page

    def __str__(self) -> str:
        return f"{self.page}: {self.message}" if self.page else self.message


class EmptyPageError(PageError):
    """A page without a visible element: only blanks, comments or a head."""


class SampleError(ForestError):
    """A sample of sibling pages from which no wrapper can be induced."""

    def __init__(self, message: str, site: str) -> None:
        super().__init__(message, site)
        self.message = message
        self.site = site

    def __str__(self) -> str:
        return f"{self.site}: {self.message}"


class WrapperError(ForestError):
    """A wrapper that cannot be read, or contains an expression that is not allowed."""


class InputError(ForestError):
    """A file or directory that is missing, empty, or not in the expected format."""

    def __init__(self, message: str, path: str) -> None:
        super().__init__(message, path)
        self.message = message
        self.path = path

    def __str__(self) -> str:
        return f"{self.path}: {self.message}"


class UnknownNameError(ForestError):
    """A name under which no method, measure or protocol is registered."""

    def __init__(self, kind: str, name: str, known: list[str]) -> None:
        super().__init__(kind, name, known)
        self.kind = kind
        self.name = name
        self.known = known

    def __str__(self) -> str:
        return f"unknown {self.kind} {self.name!r}; known: {', '.join(sorted(self.known))}"


class WrapperlessMethodError(UnknownNameError):
    """A site-level method that induces no wrapper, where one is needed."""

    def __str__(self) -> str:
        return (
            f"{self.kind} {self.name!r} induces no wrapper; measure it with "
            f"forest evaluate --method {self.name}, or choose one of "
            f"{', '.join(sorted(self.known))}"
        )


class MethodError(ForestError):
    """A method that cannot do what is requested of it; `able` names those that can."""

    def __init__(self, message: str, method: str, able: list[str]) -> None:
        super().__init__(message, method, able)
        self.message = message
        self.method = method
        self.able = able

    def __str__(self) -> str:
        return f"method {self.method} {self.message}; these can: {', '.join(sorted(self.able))}"


class OptionError(ForestError):
    """An option that a method doesn't have, or a value that the option doesn't take."""

    def __init__(self, message: str, method: str, options: list[str]) -> None:
        super().__init__(message, method, options)
        self.message = message
        self.method = method
        self.options = options

    def __str__(self) -> str:
        known = f"options: {', '.join(self.options)}" if self.options else "it has no options"
        return f"method {self.method}: {self.message}; {known}"


class MissingPackageError(ForestError):
    """A method that needs a package which is not installed."""

    def __init__(self, method: str, package: str, extra: str) -> None:
        super().__init__(method, package, extra)
        self.method = method
        self.package = package
        self.extra = extra

    def __str__(self) -> str:
        return (
            f"{self.method} needs the package {self.package}; install it with "
            f"pip install 'forest-crawler[{self.extra}]'"
        )


class PluginError(ForestError):
    """A method of another installed package that cannot be loaded, or isn't a method."""

    def __init__(self, message: str, name: str, package: str) -> None:
        super().__init__(message, name, package)
        self.message = message
        self.name = name
        self.package = package

    def __str__(self) -> str:
        return f"method {self.name!r} of the installed package {self.package}: {self.message}"


class DocumentError(ForestError):
    """A feed, a sitemap or another fetched document that cannot be used.

    `reason` is one of a few labels, so that failures can be counted.
    """

    def __init__(self, reason: str, url: str = "") -> None:
        super().__init__(reason, url)
        self.reason = reason
        self.url = url

    def __str__(self) -> str:
        return f"{self.url}: {self.reason}" if self.url else self.reason


class FeedError(DocumentError):
    """A body that isn't a feed, or isn't safe to read."""


class FetchError(DocumentError):
    """A page that could not be fetched, or must not be."""


class SitemapError(DocumentError):
    """A body that isn't a sitemap, or isn't safe to read."""


class FatalError(ForestError):
    """An error that ends the crawl; the code that raises it has reported it."""


class StoreError(FatalError):
    """A store, or a file written from it, that cannot be used.

    It is locked, damaged, written by a newer version, or its disk is full. Everything committed
    before is kept.
    """

    def __init__(self, message: str, store: str) -> None:
        super().__init__(message, store)
        self.store = store

    @classmethod
    def unwritable(cls, err: OSError, path: str) -> Self:
        """Make the error for a file that the operating system refuses to write."""
        full = err.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
        advice = "make room" if full else "make it and its directory writable"
        return cls(
            f"cannot be written: {err.strerror}; nothing is lost, {advice} and run again", path
        )

    def __str__(self) -> str:
        return f"{self.store}: {self.args[0]}"


class FencedError(StoreError):
    """A store that refuses a run whose leases expired: other runs have taken its sites over."""


class ConflictError(StoreError):
    """A transaction that the server rolled back in favour of another one; it may be repeated."""


class LostConnectionError(StoreError):
    """A database server that is gone: it restarts, or the network is down."""
