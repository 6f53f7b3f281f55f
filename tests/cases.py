"""Parameters of tests, of which some are tried in rotation: see `long` in tests/conftest.py."""

import pytest


def long_except(cases, *kept):
    """All cases; those that are not kept are long."""
    return [case if case in kept else pytest.param(case, marks=pytest.mark.long) for case in cases]
