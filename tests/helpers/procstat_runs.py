"""Shared by the tests of series: those of a recording, and waiting for them."""

import time

import support
from commanded import Program


class Series(dict):
    """{name: values in the order of their times} of a recording."""

    def __init__(self, recording):
        super().__init__()
        rows = recording["series"]
        for series, _, value in sorted(recording["points"], key=lambda each: each[1]):
            self.setdefault(rows[series - 1][0], []).append(value)


def series_of(path):
    import kymo_decoder

    return Series(kymo_decoder.load(path))


def wait_until(program, is_so):
    """The recording once is_so() holds for it."""
    import kymo_decoder

    deadline = time.monotonic() + support.TIMEOUT_S
    while time.monotonic() < deadline:
        (path,) = support.find_recordings(program.directory)
        try:
            recording = kymo_decoder.load(path)
            if is_so(recording):
                return recording
        except IndexError:  # the series came after its table was read
            continue
    raise AssertionError("it did not come to that")


def wait_for(program, name):
    """Wait until the series has a value."""
    wait_until(program, lambda recording: name in Series(recording))


def notes(recording, key):
    return [value for _, found, value in recording["notes"] if found == key]


def started(tmp_path, machine, *options):
    return Program(tmp_path, "-H", "--process-freq", "100", *options, env=machine.settings)
