"""Full text as a service: articles and full feeds over HTTP; needs the extra `studio`."""

from forest_crawler.studio.service.app import api_app, service_routes
from forest_crawler.studio.service.full_text import FullText
from forest_crawler.studio.service.options import ServiceOptions

__all__ = ["FullText", "ServiceOptions", "api_app", "service_routes"]
