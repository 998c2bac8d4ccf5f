"""`simulate`: one seed's crawl, by one process or by several that share a store."""

from __future__ import annotations

import random
from pathlib import Path
from unittest.mock import patch

from forest_crawler.store import archive_file, database
from tests.simulation.clock import START, VirtualClock
from tests.simulation.crawl import KeptStore, Simulation
from tests.simulation.joined import JoinedSimulation
from tests.simulation.world import World

JOINED_SHARE = 4
"""Every so many seeds are of several processes, unless their number is given."""


def simulate(
    seed: int,
    store: KeptStore,
    directory: Path,
    clock: VirtualClock,
    trace: list[str],
    processes: int | None = None,
) -> World:
    """Simulate a seed's crawl. Raises `ViolationError` if something that must hold does not.

    `processes`: how many of them there are; `None`: one or several, by the seed.
    """
    clock.now = START
    is_joined = seed % JOINED_SHARE == 0 if processes is None else processes > 1
    world: World
    if is_joined:
        world = JoinedSimulation(seed, store, clock, trace, processes)
    else:
        world = Simulation(seed, store, directory, clock, trace)
    state = random.getstate()
    random.seed(seed)  # processes shuffle their lists
    try:
        with (
            patch.object(database, "reach", world.reach),
            patch.object(archive_file, "reach", world.reach),
        ):
            world.run()
    finally:
        random.setstate(state)
    return world
