"""The stemmers are nltk's own, and load without the rest of it."""

from __future__ import annotations

import subprocess
import sys

import pytest
from nltk.stem.snowball import SnowballStemmer

from forest_crawler.text.stemmers import stem_word

ALONE = """
import sys
from forest_crawler.text.stemmers import stem_word
print(stem_word("Häuser", "german"), stem_word("running", "english"), "nltk" in sys.modules,
      "scipy" in sys.modules)
import nltk
print(nltk.word_tokenize.__module__, nltk.stem.snowball.SnowballStemmer("english").stem("running"))
"""


@pytest.mark.parametrize("language", SnowballStemmer.languages)
def test_stems_are_those_of_nltk(language: str) -> None:
    for word in ("ferries", "Häuser", "кораблями", "السفينة", "naviguèrent", "hajókat"):
        assert stem_word(word, language) == SnowballStemmer(language).stem(word)


def test_stemmers_load_alone_and_nltk_can_be_imported_afterwards() -> None:
    run = subprocess.run([sys.executable, "-c", ALONE], capture_output=True, text=True, check=True)
    assert run.stdout.splitlines() == ["haus run False False", "nltk.tokenize run"]
