"""Golden recordings of every format version, decoded twice: by the C reader and by the
decoder in plain Python.  Both must come to what is written beside the recording.

After a deliberate change of what readers derive, KYMO_ACCEPT=1 writes the expectations
anew, from the Python decoder; look at the difference before committing it.
"""

import json
import os
import re

import kymo_decoder
import kymo_layout
import pytest
import support
from decoder_runs import differences, from_c

TESTS = support.REPOSITORY / "tests"
GOLDEN = sorted((TESTS / "golden").glob("*.kymo"))
CUT = (
    "v1-profile",
    "v1-trace",
    "v1-sampled",
    "v1-functions",
    "v1-mixed",
    "v1-counted",
    "v1-marked",
    "v1-away",
    "v2-positions",
)
FORMAT_PAGE = TESTS.parent / "docs" / "format.md"


def by_name(recordings):
    return pytest.mark.parametrize("recording", recordings, ids=lambda path: path.stem)


def expectation(recording):
    return json.loads(recording.with_suffix(".json").read_text(encoding="utf-8"))


def test_there_are_golden_recordings():
    assert len(GOLDEN) >= 7


@by_name(GOLDEN)
def test_python_decoder(recording):
    decoded = kymo_decoder.show(recording.read_bytes())
    if os.environ.get("KYMO_ACCEPT"):
        with open(recording.with_suffix(".json"), "w", encoding="utf-8") as file:
            kymo_decoder.dump(decoded, file)
    assert list(differences(json.loads(json.dumps(decoded)), expectation(recording))) == []


@by_name(GOLDEN)
def test_c_reader(recording):
    assert list(differences(from_c(recording), expectation(recording))) == []


@by_name([path for path in GOLDEN if path.stem in CUT])
@pytest.mark.parametrize("pages", [1, 2, 3, 4, 5, 7, 9, 11, 12])
def test_both_read_what_is_left_of_a_cut_file(recording, pages, tmp_path):
    cut = tmp_path / "cut.kymo"
    cut.write_bytes(recording.read_bytes()[: pages * 4096 + 1000])
    decoded = json.loads(json.dumps(kymo_decoder.show(cut.read_bytes())))
    assert list(differences(from_c(cut), decoded)) == []


def page_fields():
    """(name, offset, type) of every row of the tables of fields in docs/format.md."""
    types = {"string": "u64", "node": "u32", "8 bytes": "8s", "16 bytes": "16s"}
    row = re.compile(r"\| (\d+) \| ([^|]+) \| `(\w+)` (?=\|)")
    for line in FORMAT_PAGE.read_text(encoding="utf-8").splitlines():
        for offset, form, name in row.findall(line):
            yield name, int(offset), types.get(form.strip(), form.strip())


def test_decoder_reads_the_fields_of_the_page():
    fields = set(page_fields())
    pair = {("ticks", 0, "u64"), ("monotonic_ns", 8, "u64"), ("realtime_ns", 16, "u64")}
    for kind, layout in kymo_layout.LAYOUT.items():
        for field in layout.split(","):
            name, offset, form = field.split()
            known = pair if kind == "pair" else fields
            assert (name, int(offset), form) in known, f"{kind}.{name}"
