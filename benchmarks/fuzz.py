"""Fuzz the readers of untrusted input: `make fuzz`, or `python -m benchmarks.fuzz robots -t 60`.

Each target gets mutations of a few small seeds for a while. It may refuse an input by an error of
ours; any other exception is a finding, and so is an input that takes seconds. Findings are written
to a directory, where `python -m benchmarks.fuzz TARGET FILE` repeats one.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Callable, Sequence
from hashlib import sha256
from pathlib import Path
from random import Random

from protego import Protego

from forest_crawler.errors import ForestError
from forest_crawler.export.fivefilters_import import read_fivefilters
from forest_crawler.feed.reader import read_feed
from forest_crawler.fetching.robots_text import normalise_robots
from forest_crawler.page.encoding import decode_page, decode_xml
from forest_crawler.page.tree import parse_page
from forest_crawler.wrapper.wrapper import Wrapper, dump_wrappers, load_wrappers

SECONDS = 600.0
"""Time per target."""

MAX_TIME = 2.0
"""Seconds of the processor for one input, which has a few kilobytes; it takes milliseconds."""

REFUSED = "refused"
"""An input that a target refuses by an error of ours, as it should."""

MAX_LENGTH = 4096
SEEDS = Path(__file__).with_name("fuzz_seeds")
_URL = "http://gazette.example/feed"


def _read_feed(data: bytes) -> None:
    for entry in read_feed(data, url=_URL).entries:
        json.dumps([entry.title, entry.link, entry.description])


def _decode(data: bytes) -> None:
    for charset in (None, "utf-16", "shift_jis", data[:9].decode("latin-1")):
        decode_page(data, charset)[0].encode("utf-8", "surrogatepass")
        decode_xml(data, charset)


def _parse_tree(data: bytes) -> None:
    tree = parse_page(data, url=_URL)
    tree.annotated_xml().encode()
    assert len(tree.outline.elements) >= 1


def _read_wrappers(data: bytes) -> None:
    wrappers = load_wrappers(data.decode("utf-8", "replace"))
    assert load_wrappers(dump_wrappers(wrappers)) == wrappers


def _read_robots(data: bytes) -> None:
    rules = Protego.parse(normalise_robots(data).decode())
    rules.can_fetch("http://gazette.example/a?b=1", "forest-crawler")
    rules.crawl_delay("forest-crawler")


_PAGE = parse_page(
    "<title>Rain</title><meta name=by content=Ann><article><h1>Rain</h1><span class=by>By Ann"
    "</span><div class=a><p id=b>It rained.<time>Friday</time></div><aside class=ad>Buy</aside>"
    "</article><a href=/b>2</a>",
    url="http://gazette.example/a",
)


def _read_config(data: bytes) -> None:
    config = read_fivefilters(data.decode("utf-8", "replace"), "gazette.example")
    assert all(isinstance(it, Wrapper) for it in config.wrappers)
    assert load_wrappers(dump_wrappers(config.wrappers)) == config.wrappers
    for wrapper in config.wrappers:
        wrapper.select(_PAGE)
        wrapper.find_link(_PAGE, "next_page")
        wrapper.find_link(_PAGE, "single_page")
        for name in ("title", "author", "date"):
            wrapper.locate(_PAGE, name)
            wrapper.read_values(_PAGE, name)
    _PAGE.derived.clear()


TARGETS: dict[str, Callable[[bytes], None]] = {
    "feed": _read_feed,
    "encoding": _decode,
    "tree": _parse_tree,
    "wrappers": _read_wrappers,
    "robots": _read_robots,
    "configs": _read_config,
}
_PIECES = (
    *(b"<", b">", b"&", b"'", b'"', b"]]>", b"<![CDATA[", b"<!--", b"&#0;", b"&#x110000;", b"\0"),
    *(
        b"\xed\xa0\x80",
        b"\xff",
        b"\x1b",
        b"\r",
        b"[1]",
        b"//",
        b"|",
        b"*",
        b"$",
        b"%00",
        b"=",
        b":",
    ),
    *(b"null", b"-1", b"1e999", b"\xe2\x80\xa8", b"http://[", b"javascript:", b"\\ud800"),
)


def read_seeds(name: str) -> list[bytes]:
    """Read the seeds of a target."""
    return [path.read_bytes() for path in sorted((SEEDS / name).iterdir())]


def mutate(seeds: Sequence[bytes], random: Random) -> bytes:
    """Change a seed at a few positions: cut, repeat, replace, join with another."""
    data = random.choice(seeds)
    for _ in range(random.randint(1, 6)):
        start, end = sorted(random.randint(0, len(data)) for _ in range(2))
        kind = random.randrange(6)
        if kind == 0:
            data = data[:start] + data[end:]
        elif kind == 1:
            data = data[:end] + data[start:end] * random.choice((1, 2, 9)) + data[end:]
        elif kind == 2:
            data = data[:start] + random.randbytes(random.randint(1, 4)) + data[start:]
        elif kind == 3:
            data = data[:start] + random.choice(_PIECES) + data[start:]
        elif kind == 4:
            data = data[:start] + random.choice(_PIECES) * random.choice((1, 30)) + data[end:]
        else:
            other = random.choice(seeds)
            data = data[:start] + other[random.randint(0, len(other)) :]
    return data[:MAX_LENGTH]


def mutate_json(seeds: Sequence[bytes], random: Random) -> bytes:
    """Replace values within the JSON of a seed, which mutated bytes would hardly ever be."""
    data = json.loads(random.choice(seeds))
    for _ in range(random.randint(1, 2)):
        node = data
        while isinstance(node, dict | list) and node:
            keys = list(node) if isinstance(node, dict) else list(range(len(node)))
            inner = [key for key in keys if isinstance(node[key], dict | list) and node[key]]
            key = random.choice(inner if inner and random.random() < 0.8 else keys)
            if not isinstance(node[key], dict | list) or not node[key] or random.random() < 0.02:
                node[key] = _odd_value(node[key], random)
                break
            node = node[key]
    return json.dumps(data).encode()


def _odd_value(value: object, random: Random) -> object:
    if isinstance(value, str) and random.random() < 0.7:
        return mutate([value.encode()], random).decode("utf-8", "replace")
    return random.choice(
        (None, True, -1, 0.5, 10**30, "", "//p", "//p[", [], ["//p"], {}, {"a": 1})
    )


def make_input(name: str, seeds: Sequence[bytes], random: Random) -> bytes:
    """Make an input for a target."""
    by_value = name == "wrappers" and random.random() < 0.9
    return mutate_json(seeds, random) if by_value else mutate(seeds, random)


def try_input(target: Callable[[bytes], None], data: bytes) -> str | None:
    """Run a target; return `REFUSED`, or what is wrong, if anything."""
    began = time.process_time()
    refused = None
    try:
        target(data)
    except ForestError:
        refused = REFUSED
    except Exception as err:  # a finding, whatever it is
        return f"{type(err).__name__}: {err}"
    seconds = time.process_time() - began
    return f"takes {seconds:.1f} s" if seconds > MAX_TIME else refused


def fuzz(name: str, seconds: float, seed: int, directory: Path) -> int:
    """Fuzz a target; write and print its findings, one per message; return how many."""
    target, seeds = TARGETS[name], read_seeds(name)
    random, found, runs, accepted = Random(seed), set[str](), 0, 0
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        data = make_input(name, seeds, random)
        runs += 1
        wrong = try_input(target, data)
        accepted += wrong is None
        if wrong is not None and wrong != REFUSED and wrong[:60] not in found:
            found.add(wrong[:60])
            directory.mkdir(parents=True, exist_ok=True)
            path = directory / f"{name}-{sha256(data).hexdigest()[:12]}"
            path.write_bytes(data)
            print(f"{name}: {wrong[:200]!r} in {path}")
    share = f"{runs} executions in {seconds:.0f} s, {accepted / max(runs, 1):.0%} not refused"
    print(f"{name}: {share} (seed {seed}), {len(found)} findings", flush=True)
    return len(found)


def main(arguments: Sequence[str] | None = None) -> int:
    """Fuzz targets, or repeat one input; 1 if there are findings."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("target", nargs="?", choices=list(TARGETS))
    parser.add_argument("file", nargs="?", type=Path, help="an input to repeat")
    parser.add_argument("-t", "--time", type=float, default=SECONDS, help="seconds per target")
    parser.add_argument("-s", "--seed", type=int, default=1)
    parser.add_argument("-o", "--output", type=Path, default=Path("outputs/fuzz"))
    options = parser.parse_args(arguments)
    if options.file is not None:
        TARGETS[options.target](options.file.read_bytes())
        return 0
    names = [options.target] if options.target else list(TARGETS)
    found = sum(fuzz(it, options.time, options.seed, options.output) for it in names)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
