"""The program that tests of `kymo run` start."""

import pytest
import run_support


@pytest.fixture(scope="package")
def teller(tmp_path_factory):
    return run_support.compile_teller(tmp_path_factory.mktemp("teller"))
