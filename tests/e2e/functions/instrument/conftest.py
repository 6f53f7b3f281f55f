"""What tests of `kymo instrument` need of a build."""

import pytest
from instrument_runs import instrument


@pytest.fixture(scope="session")
def needs_analysis(tmp_path_factory):
    result = instrument(["--simulate"], tmp_path_factory.mktemp("analysis"))
    if "without Zydis" in result.stderr:
        pytest.skip("built without Zydis: nothing can be analysed")
