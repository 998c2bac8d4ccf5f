"""nltk's Snowball stemmers, without the rest of nltk.

`import nltk.stem.snowball` imports all of nltk, and with it scipy: one to three seconds, which is
most of the time that `forest page` would take. The stemmers need only their own few modules. So the
packages around them are stand-ins while they are imported, and gone afterwards: whoever imports
nltk later gets the real one.
"""

from __future__ import annotations

import sys
import threading
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType
from typing import Any

_MODULE = "nltk.stem.snowball"
_lock = threading.Lock()


def stem_word(word: str, language: str) -> str:
    """Stem a word; `language` is Snowball's English name of it.

    >>> stem_word("ferries", "english")
    'ferri'
    """
    # A new stemmer each time: the Arabic one's results depend on the words that it has seen.
    return str(_stemmer_class()(language).stem(word))


@cache
def _stemmer_class() -> Any:
    with _lock:
        module = None if "nltk" in sys.modules else _import_alone()
    return (module or import_module(_MODULE)).SnowballStemmer


def _import_alone() -> ModuleType | None:
    """Import the stemmers' module alone; `None` if it needs more than this nltk had."""
    spec = find_spec("nltk")
    if spec is None or not spec.submodule_search_locations:
        return None
    root = Path(next(iter(spec.submodule_search_locations)))
    before = set(sys.modules)
    try:
        _stand_in("nltk", root)
        _stand_in("nltk.stem", root / "stem")
        _stand_in("nltk.corpus", root / "corpus").stopwords = None  # type: ignore[attr-defined]
        return import_module(_MODULE)
    except (ImportError, AttributeError):
        return None
    finally:
        for name in set(sys.modules) - before:
            if name.partition(".")[0] == "nltk":
                del sys.modules[name]


def _stand_in(name: str, path: Path) -> ModuleType:
    module = ModuleType(name)
    module.__path__ = [str(path)]
    sys.modules[name] = module
    return module
