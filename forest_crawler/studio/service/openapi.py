"""The OpenAPI document of the service."""

from __future__ import annotations

from typing import Any

_URL = {"name": "url", "in": "query", "required": True, "schema": {"type": "string"}}
_FORMAT = {
    "name": "format",
    "in": "query",
    "schema": {"type": "string", "enum": ["rss", "atom", "json"]},
}
_ERRORS = {
    "400": {"description": "no URL"},
    "422": {"description": "not a feed, or a page without any element"},
    "502": {"description": "the page could not be fetched; `message` has the reason"},
    "503": {"description": "too many fetches at the same time"},
}


def _get(name: str, summary: str, kind: str, *parameters: dict[str, Any]) -> dict[str, Any]:
    found = {"200": {"description": summary, "content": {kind: {}}}}
    return {
        "operationId": name,
        "summary": summary,
        "parameters": list(parameters),
        "responses": found | _ERRORS,
    }


_JSON, _RSS = "application/json", "application/rss+xml"
OPENAPI: dict[str, Any] = {
    "openapi": "3.1.0",
    "info": {"title": "forest-crawler: full text", "version": "1"},
    "servers": [{"url": "/api/v1"}],
    "paths": {
        "/extract": {
            "get": _get("extract", "The article of a page, as JSON", _JSON, _URL),
            "post": _get(
                "extractHtml",
                "The article of the HTML in the body",
                _JSON,
                {**_URL, "required": False},
            )
            | {"requestBody": {"required": True, "content": {"text/html": {}}}},
        },
        "/feed": {
            "get": _get(
                "feed",
                "A feed with full texts; entries whose page is not read yet come later",
                _RSS,
                _URL,
                _FORMAT,
            )
        },
        "/makefulltextfeed.php": {
            "get": _get("fullTextFeed", "As Full-Text RSS answers", _RSS, _URL, _FORMAT)
        },
        "/parser": {"get": _get("parser", "As the Postlight Parser answers", _JSON, _URL)},
    },
}
