"""Query parameters that do not tell articles apart, by how sure that is.

Tracking says who sent the reader; it is dropped from the URL that is fetched. Sessions and marks of
variants (`?m=1`) may matter to the server; they are dropped from keys only. Many of these names are
also used for ids (`?sid=7`), so their values must look right, and links of one document that differ
in such a parameter only are different articles (`link_keys`).
"""

from __future__ import annotations

import re
from urllib.parse import unquote_plus

# Names that nobody uses for anything else.
_TRACKING_PREFIXES = tuple("utm_ mtm_ matomo_ piwik_ hsa_ vero_ oly_ at_ wt_ trk_".split())
_TRACKING = frozenset(
    "fbclid gclid gclsrc gbraid wbraid dclid msclkid yclid twclid ttclid li_fat_id igsh igshid "
    "epik mkt_tok _hsenc _hsmi __hstc __hssc __hsfp _ga _gl wtmc s_cid s_kwcid xtor ref_src "
    "ref_url pk_campaign pk_kwd pk_keyword pk_source pk_medium pk_content pk_cid mc_cid mc_eid "
    "ga_source ga_medium ga_term ga_content ga_campaign ga_place".split()
)
# Names of single publishers' tracking. Elsewhere they may be ids, which are numbers.
_OWN_TRACKING = frozenset(
    "sclid ocid ncid icid cmp cmpid ito spm smid smtyp mbid sr_share rssid".split()
)
_NUMBER = re.compile(r"\d+", re.ASCII)
# Parameters that may change the page; with these values they only say who sent the reader.
_SOURCES = frozenset("ref source src from via medium campaign partner channel".split())
_SOURCE_VALUES = frozenset(
    "rss rss2 rss20 rdf atom feed feeds rssfeed newsfeed newsletter email mail social share".split()
)

_SESSIONS = frozenset("phpsessid jsessionid asp.net_sessionid cfid cftoken".split())
# Also ids of stories and of talks, unless the value is as long as only random numbers are.
_POSSIBLE_SESSIONS = frozenset("sessionid session_id sessid sid".split())
_RANDOM = re.compile(r"(?=.*\d)[\w.,!~-]{16,}", re.ASCII)

_FLAGS = frozenset("amp m mobile".split())
_FLAG_VALUES = frozenset(["", "0", "1", "true", "amp"])
_FORMATS = frozenset("outputtype output view format mode".split())


def split_parameter(piece: str) -> tuple[str, str]:
    """Return a parameter's name in lower case and its value, both decoded.

    >>> split_parameter("UTM_Source=a%20b")
    ('utm_source', 'a b')
    """
    name, _, value = piece.partition("=")
    return unquote_plus(name).lower(), unquote_plus(value)


def is_tracking(piece: str) -> bool:
    """Whether a parameter only says who sent the reader, on any site."""
    name, value = split_parameter(piece)
    if name in _TRACKING or name.startswith(_TRACKING_PREFIXES):
        return True
    return name in _SOURCES and value.lower() in _SOURCE_VALUES


def is_likely_tracking(piece: str) -> bool:
    """Whether a parameter is known as tracking, though some site may mean something else."""
    name, value = split_parameter(piece)
    return is_tracking(piece) or (name in _OWN_TRACKING and not _NUMBER.fullmatch(value))


def is_no_identity(piece: str) -> bool:
    """Whether two URLs that differ in this parameter only are most likely one article."""
    name, value = split_parameter(piece)
    if name in _SESSIONS or (name in _POSSIBLE_SESSIONS and _RANDOM.fullmatch(value)):
        return True
    if name in _FLAGS:
        return value.lower() in _FLAG_VALUES
    return name in _FORMATS and value.lower() == "amp"
