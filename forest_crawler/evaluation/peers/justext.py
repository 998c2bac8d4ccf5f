"""jusText: classifies paragraphs by length, stop words, links and neighbours.

It runs with its defaults (headings kept). It needs a stop list: that of the language that the page
declares, otherwise English.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from typing import Any, Final

from forest_crawler.evaluation.peers.packages import Package
from forest_crawler.evaluation.peers.registry import register

STOP_LISTS: Final = {
    "ar": "Arabic",
    "bg": "Bulgarian",
    "ca": "Catalan",
    "cs": "Czech",
    "da": "Danish",
    "de": "German",
    "el": "Greek",
    "en": "English",
    "es": "Spanish",
    "et": "Estonian",
    "fa": "Persian",
    "fi": "Finnish",
    "fr": "French",
    "he": "Hebrew",
    "hi": "Hindi",
    "hr": "Croatian",
    "hu": "Hungarian",
    "id": "Indonesian",
    "it": "Italian",
    "ko": "Korean",
    "lt": "Lithuanian",
    "lv": "Latvian",
    "nb": "Norwegian_Bokmal",
    "nl": "Dutch",
    "nn": "Norwegian_Nynorsk",
    "no": "Norwegian_Bokmal",
    "pl": "Polish",
    "pt": "Portuguese",
    "ro": "Romanian",
    "ru": "Russian",
    "sk": "Slovak",
    "sl": "Slovenian",
    "sr": "Serbian",
    "sv": "Swedish",
    "tr": "Turkish",
    "uk": "Ukrainian",
    "vi": "Vietnamese",
}
"""Its stop lists by language code, for the languages most common on the web."""

_PACKAGE = Package("jusText", "justext")
_LANGUAGE = re.compile(r"<html\b[^>]*?\slang\s*=\s*[\"']?([a-z]{2})\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Justext:
    """`justext.justext`."""

    name: str = "justext"

    def version(self) -> str:
        """Return the installed version."""
        return _PACKAGE.version()

    def extract_text(self, html: str, url: str | None) -> str:
        """Return the paragraphs that aren't boilerplate, one per line."""
        # As bytes: lxml refuses a str with an encoding in its XML declaration.
        paragraphs = _PACKAGE.load().justext(
            html.encode("utf-8", "replace"), _stop_list(_language(html)), encoding="utf-8"
        )
        return "\n".join(p.text for p in paragraphs if not p.is_boilerplate)


def _language(html: str) -> str:
    declared = _LANGUAGE.search(html)
    code = declared[1].lower() if declared else "en"
    return code if code in STOP_LISTS else "en"


@cache
def _stop_list(language: str) -> Any:
    return _PACKAGE.load().get_stoplist(STOP_LISTS[language])


register(Justext())
