"""Settings of all tests."""

from __future__ import annotations

from hypothesis import HealthCheck, settings

# A busy machine must not fail a property: how long things take is tested by growth, not by clock.
settings.register_profile("forest", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("forest")
