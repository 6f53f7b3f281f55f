"""Samples and the switches that all collectors obey: kymo ctl, the program's own, and regions."""

import struct

import commanded
import sampler_runs
import support

OPTIONS = ["-S", "realtime", "--profile", "-f", "500"]


def end_of(program):
    """The samples of the process, and their times in seconds."""
    program.end()
    (sampled,) = sampler_runs.found(program.directory.parent)
    since = sampled.recording.clock.since_start
    return sampled, [since(each.ticks) * 1e-9 for each in sampled.samples]


def when(sampled):
    """When recording was switched, in seconds: off, on, off ..."""
    since = sampled.recording.clock.since_start
    (gate,) = struct.unpack_from("<I", sampled.data, sampler_runs.HEADER_GATE)
    log = struct.unpack_from("<64Q", sampled.data, sampler_runs.HEADER_GATE_LOG)
    # The end of the recording is told by a further change of two.
    return [since(log[number]) * 1e-9 for number in range(1, gate - 1)]


def check_outside(times, off, on):
    """No sample while nothing was recorded, but some before and after."""
    assert [each for each in times if off < each < on] == []
    assert [each for each in times if each < off] and [each for each in times if each > on]


def test_ctl(tmp_path):
    with commanded.Program(tmp_path, *OPTIONS) as program:
        program("spin 0.1")
        for word in ("stop", "start"):
            command = [support.KYMO, "ctl", program.directory, word]
            result = support.run(command, cwd=tmp_path)
            assert result.returncode == 0, result.stderr
            program("spin 0.1")
        sampled, times = end_of(program)
    off, on = when(sampled)[:2]
    assert on - off > 0.05
    check_outside(times, off, on)
    assert sampled.begins[0] == 2
    # What came first after the pause stands for no part of it.
    total = sum(each.weight for each in sampled.samples)
    ticks = sampled.recording.header.end_ticks - sampled.recording.header.start_ticks
    assert total < 0.9 * ticks


def test_program(tmp_path):
    with commanded.Program(tmp_path, *OPTIONS) as program:
        program("spin 0.1", "stop", "spin 0.1", "start", "spin 0.1")
        sampled, times = end_of(program)
    check_outside(times, *when(sampled)[:2])
    assert sampled.begins[0] == 2


def test_selected_regions(tmp_path):
    with commanded.Program(tmp_path, *OPTIONS, env={"KYMO_SELECTED_REGIONS": "chosen"}) as program:
        program("spin 0.05", "begin chosen", "spin 0.15", "end chosen", "spin 0.1")
        sampled, times = end_of(program)
    _, on, off = when(sampled)
    assert times and all(on <= each <= off for each in times)
    assert sampled.begins == {0: 1}
