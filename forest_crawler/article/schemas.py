"""Articles with the field names of other tools: renaming, and choosing fields."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal, TypeAlias, get_args

from forest_crawler.errors import UnknownNameError
from forest_crawler.urls.hosts import host_of

Schema = Literal["forest", "newsplease", "trafilatura", "newspaper", "schemaorg"]
SCHEMAS: tuple[Schema, ...] = get_args(Schema)

ONLY_IF_TRUE = frozenset({"truncated"})
"""Fields that are written only if they are true."""

Row: TypeAlias = dict[str, Any]


def apply_schema(row: Mapping[str, Any], schema: str) -> Row:
    """Name an article's fields as a schema does."""
    if schema not in _WRITERS:
        raise UnknownNameError("schema", schema, list(_WRITERS))
    return _WRITERS[schema](row)


def pick_fields(row: Mapping[str, Any], fields: Sequence[str]) -> Row:
    """Pick a row's fields in order; an absent `ONLY_IF_TRUE` field is null."""
    for name in fields:
        if name not in row and name not in ONLY_IF_TRUE:
            raise UnknownNameError("field", name, list(row))
    return {name: row.get(name) for name in fields}


def _forest(row: Mapping[str, Any]) -> Row:
    return {name: value for name, value in row.items() if value or name not in ONLY_IF_TRUE}


def _newsplease(row: Mapping[str, Any]) -> Row:
    return {
        "authors": row["authors"],
        "date_download": row["date_download"],
        "date_modify": row["date_modify"],
        "date_publish": row["date_publish"],
        "description": row["description"],
        "image_url": row["image_url"],
        "language": row["language"],
        "maintext": row["text"],
        "source_domain": row["site"],
        "title": row["title"],
        "url": row["url"],
    }


def _trafilatura(row: Mapping[str, Any]) -> Row:
    return {
        "title": row["title"],
        "author": "; ".join(row["authors"]) or None,
        "hostname": host_of(row["url"]) if row["url"] else None,
        "date": _day(row["date_publish"]),
        "id": row["id"],
        "text": row["text"],
        "language": row["language"],
        "image": row["image_url"],
        "filedate": _day(row["date_download"]),
        "source": row["url"],
        "source-hostname": row["sitename"],
        "excerpt": row["description"],
        "tags": ";".join(row["tags"]),
    }


def _newspaper(row: Mapping[str, Any]) -> Row:
    return {
        "url": row["url"],
        "canonical_link": row["canonical_url"],
        "title": row["title"],
        "authors": row["authors"],
        "publish_date": row["date_publish"],
        "text": row["text"],
        "article_html": row["html"],
        "top_image": row["image_url"],
        "images": [image["url"] for image in row["images"]],
        "tags": row["tags"],
        "language": row["language"],
        "meta_description": row["description"],
        "meta_site_name": row["sitename"],
    }


def _schemaorg(row: Mapping[str, Any]) -> Row:
    publisher = {"@type": "Organization", "name": row["sitename"]} if row["sitename"] else None
    return {
        "@context": "https://schema.org",
        "@type": "Article",
        "identifier": row["id"],
        "url": row["canonical_url"] or row["url"],
        "headline": row["title"],
        "articleBody": row["text"],
        "datePublished": row["date_publish"],
        "dateModified": row["date_modify"],
        "author": [{"@type": "Person", "name": name} for name in row["authors"]],
        "publisher": publisher,
        "description": row["description"],
        "image": row["image_url"],
        "keywords": row["tags"],
        "inLanguage": row["language"],
        "isAccessibleForFree": row["free_access"],
    }


def _day(moment: str | None) -> str | None:
    return moment[:10] if moment else None


_WRITERS: dict[str, Callable[[Mapping[str, Any]], Row]] = {
    "forest": _forest,
    "newsplease": _newsplease,
    "trafilatura": _trafilatura,
    "newspaper": _newspaper,
    "schemaorg": _schemaorg,
}
