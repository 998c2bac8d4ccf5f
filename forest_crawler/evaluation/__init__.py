"""Measures, test packages, runner, peers and report: how good is a method?"""
