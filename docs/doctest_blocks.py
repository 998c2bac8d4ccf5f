"""A griffe extension: examples in docstrings become code blocks on the API page.

Docstrings hold doctests between their paragraphs. Markdown would read `>>>` as three quotes.
"""

from __future__ import annotations

import re
from typing import Any

import griffe

_DOCTEST = re.compile(r"^>>> .*(?:\n(?!\s*$).+)*", re.MULTILINE)


def fence_doctests(text: str) -> str:
    """Put fences around the examples of a docstring; an example ends at a blank line."""
    return _DOCTEST.sub(lambda match: f"```pycon\n{match.group()}\n```\n", text)


class DoctestBlocks(griffe.Extension):
    """Fences the examples of every docstring."""

    def on_object(self, *, obj: griffe.Object, **kwargs: Any) -> None:
        """Change the docstring of a loaded object."""
        if obj.docstring is not None:
            obj.docstring.value = fence_doctests(obj.docstring.value)

    def on_package(self, *, pkg: griffe.Module, **kwargs: Any) -> None:
        """Change the docstring of the package, which isn't a member of anything."""
        self.on_object(obj=pkg)
