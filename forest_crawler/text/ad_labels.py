"""Lines that say that an advertisement follows, in the languages that sites are written in."""

from __future__ import annotations

import re

_LABELS = frozenset(
    "ad|ads|advert|advertisement|advertisements|advertising|sponsored|sponsored content|"
    "anzeige|anzeigen|werbung|publicité|publicite|pub|annonce|annonces|annons|reklame|mainos|"
    "publicidad|anuncio|anuncios|publicidade|anúncio|pubblicità|pubblicita|annuncio|"
    "advertentie|reclame|reklama|ogłoszenie|hirdetés|publicitate|reklam|oglas|"
    "реклама|διαφήμιση|広告|广告|廣告|광고|إعلان|פרסומת".split("|")
)
_REST = re.compile(
    r"(?:continue reading|story continues|article continues|scroll to continue)?"
    r"(?: below| after| with)?(?: this| the)? ?"
)
_MARKS = re.compile(r"[\W_]+")


def is_ad_label(text: str) -> bool:
    """Whether a line is nothing but the label of an advertisement.

    >>> is_ad_label("– Publicité –"), is_ad_label("Story continues below advertisement")
    (True, True)
    >>> is_ad_label("Advertising has changed"), is_ad_label("")
    (False, False)
    """
    line = _MARKS.sub(" ", text).strip().lower()
    return line in _LABELS or _REST.sub("", line, count=1) in _LABELS
