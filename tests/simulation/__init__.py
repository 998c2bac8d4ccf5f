"""Simulate whole crawls: the real engine and store, a simulated network and clock.

One seed decides everything: what hosts answer and when, how long each step takes, where the process
is killed and which write fails. So hours of a crawl take milliseconds, and a failing seed replays.
"""
