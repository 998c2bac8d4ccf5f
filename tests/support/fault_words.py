"""Topics, names and sentences with a `{topic}` slot, for generated articles."""

from __future__ import annotations

from itertools import product

TOPICS = tuple(
    (
        "harbour bridge orchard library tramway glacier market theatre quarry lighthouse vineyard "
        "ferry museum archive windmill reservoir stadium festival bakery telescope canal railway "
        "chapel meadow foundry printing pottery choir climbing beekeeping forestry fishing weaving "
        "sailing tunnel castle garden observatory brewery kiln"
    ).split()
)

SURNAMES = tuple("Aalto Brandt Correia Dufour Eriksen Fontaine Grau Holm Ivanova Jansen".split())

_OPENINGS = (
    "The council has decided that the {topic}",
    "People who know the {topic} well",
    "A report about the {topic}",
    "Last winter the {topic}",
    "Nobody expected that the {topic}",
    "In the opinion of many neighbours the {topic}",
    "After two years of talks the {topic}",
    "Those who pay for the {topic}",
)
_MIDDLES = (
    "will need more money than was put aside for it",
    "was closed for a month, and then opened again without a word",
    "could be moved to the other side of the river",
    "brought three hundred visitors on a single day",
    "should be looked after by the people who use it",
    "has changed less than the town around it",
    "remained the one thing on which both parties agree",
)
_ENDINGS = (
    ", as the minutes of the last meeting show.",
    ", although the engineers had warned of it.",
    ", and that is not going to change before the spring.",
    "; the mayor did not want to comment on that.",
    ", which is why the vote was put off until June.",
    ".",
)

SENTENCES = tuple("".join((a, " ", b, c)) for a, b, c in product(_OPENINGS, _MIDDLES, _ENDINGS))
