"""`Form`: one way to say a site's wrappers in another program's rules, and which ways there are.

Programs differ in what they take: all elements or the first, with or without those inside others,
and in whether removals see the page or only what was taken. So the same wrapper has forms: its own
union, the union of all templates, or one element around the article, less what else is in it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from forest_crawler.export.checked_page import CheckedPage
from forest_crawler.wrapper.element_names import locator_cost, name_element, shared_tests
from forest_crawler.wrapper.locators import Locator, read_xpath
from forest_crawler.wrapper.wrapper import Wrapper

MAX_CONTAINERS = 4
"""Names of the element around the article that are tried."""


@dataclass(frozen=True, slots=True)
class Form:
    """Elements to take, and elements to remove from them."""

    body: tuple[Locator, ...]
    strip: tuple[Locator, ...] = ()

    @property
    def size(self) -> int:
        """The number of its locators: of forms that show the same, the shortest is best."""
        return len(self.body) + len(self.strip)


def wrapper_forms(wrappers: Sequence[Wrapper]) -> list[Form]:
    """Return the form of the first wrapper, and that of all together."""
    first = _read(wrappers[0].body), _read(wrappers[0].strip)
    bodies = dict.fromkeys(it for wrapper in wrappers for it in _read(wrapper.body))
    strips = dict.fromkeys(it for wrapper in wrappers for it in _read(wrapper.strip))
    return list(dict.fromkeys([Form(*first), Form(tuple(bodies), tuple(strips))]))


def container_forms(pages: Sequence[CheckedPage], wrappers: Sequence[Wrapper]) -> list[Form]:
    """Return forms of one element that holds all of the article, by its best names."""
    shared = shared_tests(page.names for page in pages)
    min_pages = (len(pages) + 1) // 2
    found: Counter[Locator] = Counter()
    for page in pages:
        index = _find_container(page, wrappers)
        if index is None:
            continue
        for locator in name_element(page.names, index, shared, min_pages):
            found[locator] += page.names.match(locator)[:1] == [index]
    best = sorted(found, key=lambda it: (-found[it], locator_cost(it)))
    return [Form((locator,)) for locator in best[:MAX_CONTAINERS]]


def single_forms(form: Form) -> Iterator[Form]:
    """Yield a form per element path of another one."""
    return (Form((locator,), form.strip) for locator in form.body)


def shorter_forms(form: Form) -> Iterator[Form]:
    """Yield the forms with one path less."""
    if len(form.body) > 1:
        for index in range(len(form.body)):
            yield Form(form.body[:index] + form.body[index + 1 :], form.strip)


def regions(page: CheckedPage, body: Iterable[Locator]) -> list[int]:
    """Return the outermost elements of a page's tree that are taken, by index."""
    matched = sorted({index for locator in body for index in page.names.match(locator)})
    found: list[int] = []
    for index in matched:
        if not found or index >= page.outline.ends[found[-1]]:
            found.append(index)
    return found


def _find_container(page: CheckedPage, wrappers: Sequence[Wrapper]) -> int | None:
    """Find the innermost element around all that a wrapper selects and the article contains."""
    chosen = next((it for wrapper in wrappers if (it := wrapper.select(page.tree))), None)
    if chosen is None:
        return None
    positions = page.outline.positions
    indices = (positions[it] for it in chosen.nodes if it in positions)
    holding = [index for index in indices if page.wanted[index]]
    if not holding:
        return None
    first, *others = (page.outline.path(index) for index in holding)
    shared = [
        index
        for depth, index in enumerate(first)
        if all(it[depth : depth + 1] == [index] for it in others)
    ]
    return shared[-1]


def _read(expressions: Iterable[str]) -> tuple[Locator, ...]:
    return tuple(dict.fromkeys(map(read_xpath, expressions)))
