"""What `forest page` prints: texts with a line between pages, or JSON lines."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain
from typing import Literal, get_args

from forest_crawler.article.article import make_article
from forest_crawler.article.content.forms import DEFAULT_FORMS, FormOptions
from forest_crawler.article.schemas import Schema
from forest_crawler.cli._articles import article_line, check_fields, page_source
from forest_crawler.cli._terminal import echo, echo_data
from forest_crawler.datasets.labelled_pages import LabelledPage
from forest_crawler.extraction.extraction import Extraction
from forest_crawler.page.tree import PageTree

Format = Literal["text", "markdown", "html", "json"]
FORMATS: tuple[Format, ...] = get_args(Format)


class PageOutput:
    """Writes pages to stdout; from the second page on, each has a line with its name."""

    def __init__(
        self,
        form: Format,
        schema: Schema = "forest",
        fields: str | None = None,
        forms: FormOptions = DEFAULT_FORMS,
    ) -> None:
        self._form = form
        self._forms = forms
        self._schema = schema
        self._fields = check_fields(fields, schema)
        self._has_several = False
        self._is_first = True

    def watch(self, pages: Iterable[LabelledPage]) -> Iterator[LabelledPage]:
        """Pass pages on, and note whether there are several."""
        waiting = iter(pages)
        first = list(zip(range(2), waiting, strict=False))
        self._has_several = len(first) > 1
        return chain((page for _, page in first), waiting)

    def write(self, page: LabelledPage, tree: PageTree | None, found: Extraction | None) -> bool:
        """Write a page's article; report whether there is one."""
        if tree is None or (found is not None and not found.selection):
            found = None
        if self._form == "json":
            line = article_line(
                page, found, self._schema, self._fields, forms=self._forms, tree=tree
            )
            echo_data(line + "\n")
        elif found is not None and tree is not None:
            article = make_article(tree, found, page_source(page), options=self._forms)
            self.write_text(page, getattr(article, self._form))
        return found is not None

    def write_text(self, page: LabelledPage, text: str) -> bool:
        """Write a text, after a line with the page's name if there are several."""
        if not text:
            return False
        if self._has_several:
            echo(self._header(page.id))
        echo(text)
        return True

    def _header(self, name: str) -> str:
        name = " ".join(name.split())
        blank = "" if self._is_first else "\n"
        self._is_first = False
        if self._form == "text":
            return f"{blank}==> {name} <=="
        return f"{blank}<!-- {name.replace('--', '- -')} -->"
