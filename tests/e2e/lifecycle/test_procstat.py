"""The machine, the process and its threads over time, read from a machine of our own making."""

import fake_machine
import pytest
import support
from commanded import Program
from fake_machine import ZONE, Machine
from procstat_runs import Series, notes, started, wait_for, wait_until


def test_levels(tmp_path):
    with started(tmp_path, Machine(tmp_path)) as program:
        wait_for(program, "Temperature coretemp temp3 (S)")
        (recording,) = program.end()
    series = Series(recording)
    expected = {
        "CPU Memory Usage (S)": 4.096,
        "CPU Virtual Memory Usage (S)": 20.48,
        "CPU Peak Memory (S)": 8.192,
        "I/O Read (S)": 3,
        "I/O Write Calls (S)": 20,
        "Storage Written (S)": 8.192,
        "CPU Frequency [0] (S)": 3400,
        "CPU Frequency [7] (S)": 800,
        "Load Average 1 min (S)": 1.25,
        "Load Average 15 min (S)": 0.5,
        "Cgroup Memory Limit (S)": 512,
        "Cgroup Memory (S)": 128,
        "Cgroup CPU Limit (S)": 1.5,
        "Pressure CPU some (S)": 12.5,
        "Pressure Memory full (S)": 3.25,
        "Temperature coretemp Package id 0 (S)": 45.5,
        "Temperature coretemp temp3 (S)": -5,
    }
    for name, value in expected.items():
        # A value that does not change is written once.
        assert series[name] == [pytest.approx(value)], name
    assert not any("thermal_zone" in name for name in series)
    units = {name: unit for name, unit, _ in recording["series"]}
    assert units["CPU Memory Usage (S)"] == "MB" and units["CPU Frequency [7] (S)"] == "MHz"


def test_growth_is_from_the_beginning(tmp_path):
    machine = Machine(tmp_path)
    with started(tmp_path, machine) as program:
        wait_for(program, "Network Sent [wlan0] (S)")
        machine["proc/self/net/dev"] = fake_machine.FILES["proc/self/net/dev"].replace(
            "wlan0:3000000 9 0 0 0 0 0 0 4000000", "wlan0:5000000 9 0 0 0 0 0 0 4500000"
        )
        machine["sys/fs/cgroup/box/cpu.stat"] = (
            "usage_usec 3500000\nnr_periods 60\nnr_throttled 17\nthrottled_usec 750000\n"
        )
        machine["proc/pressure/cpu"] = (
            "some avg10=50.00 avg60=1.00 avg300=0.10 total=6500000\n"
            "full avg10=0.00 avg60=0.00 avg300=0.00 total=0\n"
        )
        machine["proc/stat"] = (
            "cpu  500 0 100 1800 100 0 0 0 0 0\ncpu0 250 0 50 750 0 0 0 0 0 0\n"
            "cpu7 200 0 50 900 0 0 0 0 0 0\nintr 1 2 3\n"
        )
        (recording,) = program.end()
    series = Series(recording)
    expected = {
        "Network Received [wlan0] (S)": [0, 2],
        "Network Sent [wlan0] (S)": [0, 0.5],
        "Network Sent [lo] (S)": [0],
        "Cgroup CPU Time (S)": [0, 2.5],
        "Cgroup CPU Periods (S)": [0, 10],
        "Cgroup Throttled Periods (S)": [0, 7],
        "Cgroup Throttled Time (S)": [0, 0.5],
        "Pressure CPU some (S)": [12.5, 50],
        "Pressure CPU some Time (S)": [0, 1.5],
        # Waiting for I/O is not being busy.
        "CPU Use (S)": [20],
        "CPU Use [0] (S)": [100],
        "CPU Use [7] (S)": [0],
    }
    assert {name: series[name] for name in expected} == expected


def test_energy_counter_begins_anew(tmp_path):
    machine = Machine(tmp_path)
    with started(tmp_path, machine) as program:
        wait_for(program, "Energy package-0 [0] (S)")
        machine[f"{ZONE}/energy_uj"] = "4000000\n"  # one joule to the end, and four
        (recording,) = program.end()
    series = Series(recording)
    assert series["Energy package-0 [0] (S)"] == [0, pytest.approx(5)]
    assert max(series["Power package-0 [0] (S)"]) > 0
    assert min(series["Power package-0 [0] (S)"]) >= 0


def test_what_is_not_there_is_named_once(tmp_path):
    missing = ("powercap", "hwmon", "thermal", "pressure", "net/dev", "self/io")
    files = {
        path: text
        for path, text in fake_machine.FILES.items()
        if not any(part in path for part in missing)
    }
    files["proc/self/status"] = "Name:\tx\n"
    with started(tmp_path, Machine(tmp_path, files)) as program:
        wait_for(program, "Load Average 1 min (S)")
        (recording,) = program.end()
    found = notes(recording, "machine")
    for source in ("energy", "temperatures", "pressure", "network", "I/O", "peak memory"):
        assert sum(f"{source} not recorded: " in text for text in found) == 1, (source, found)
    assert len(found) == 6


def test_file_that_goes_away(tmp_path):
    machine = Machine(tmp_path)
    with started(tmp_path, machine) as program:
        wait_for(program, "Load Average 1 min (S)")
        machine["proc/loadavg"] = "garbage\n"
        machine["proc/stat"] = ""
        machine["proc/pressure/cpu"] = "some avg10="
        (recording,) = program.end()
    assert Series(recording)["Load Average 1 min (S)"] == [1.25]


def test_first_cgroup_version(tmp_path):
    files = {
        path: text
        for path, text in fake_machine.FILES.items()
        if not path.startswith("sys/fs/cgroup")
    }
    machine = Machine(tmp_path, {**files, **fake_machine.FIRST_CGROUP})
    with started(tmp_path, machine) as program:
        wait_for(program, "Cgroup Throttled Time (S)")
        machine["sys/fs/cgroup/cpu/cpu.stat"] = (
            "nr_periods 10\nnr_throttled 5\nthrottled_time 2000000000\n"
        )
        machine["sys/fs/cgroup/cpuacct/job/cpuacct.usage"] = "8000000000\n"
        (recording,) = program.end()
    series = Series(recording)
    assert series["Cgroup Memory Limit (S)"] == [64]
    assert series["Cgroup Memory (S)"] == [32]
    assert series["Cgroup CPU Limit (S)"] == [0.5]
    assert series["Cgroup Throttled Periods (S)"] == [0, 1]
    assert series["Cgroup Throttled Time (S)"] == [0, 1.5]
    assert series["Cgroup CPU Time (S)"] == [0, 1]


def test_no_limit_of_the_group(tmp_path):
    machine = Machine(tmp_path)
    machine["sys/fs/cgroup/box/memory.max"] = "max\n"
    machine["sys/fs/cgroup/box/cpu.max"] = "max 100000\n"
    with started(tmp_path, machine) as program:
        wait_for(program, "Cgroup Memory (S)")
        (recording,) = program.end()
    series = Series(recording)
    assert "Cgroup Memory Limit (S)" not in series and "Cgroup CPU Limit (S)" not in series


def test_chosen_cores(tmp_path):
    machine = Machine(tmp_path)
    machine.remove("sys/devices/system/cpu/cpu0/cpufreq/scaling_cur_freq")
    machine.remove("sys/devices/system/cpu/cpu7/cpufreq/scaling_cur_freq")
    machine["proc/cpuinfo"] = (  # the first number is 7 in 32 bits
        "processor\t: 4294967303\ncpu MHz\t\t: 1.0\n\n" + fake_machine.FILES["proc/cpuinfo"]
    )
    with started(tmp_path, machine, "--cpus", "5-7") as program:
        wait_for(program, "Temperature coretemp temp3 (S)")
        (recording,) = program.end()
    names = [name for name, _, _ in recording["series"]]
    assert "CPU Use [7] (S)" in names and "CPU Use [0] (S)" not in names
    assert Series(recording)["CPU Frequency [7] (S)"] == [2500.25]  # as /proc/cpuinfo has it
    assert "CPU Frequency [0] (S)" not in names


def test_delay_and_duration(tmp_path):
    machine = Machine(tmp_path)
    with started(tmp_path, machine, "--process-wait", "1000") as program:
        (recording,) = program.end()
    assert Series(recording) == {}
    late = tmp_path / "late"
    late.mkdir()
    with started(late, machine, "--process-duration", "0.05") as program:
        wait_until(program, lambda recording: notes(recording, "procstat"))  # it has ended
        machine["proc/loadavg"] = "9.00 9.00 9.00 1/1 1\n"
        (recording,) = program.end()
    assert Series(recording)["Load Average 1 min (S)"] == [1.25]


def test_gate(tmp_path):
    """Nothing is recorded while the program has recording switched off."""
    machine = Machine(tmp_path)
    with started(tmp_path, machine) as program:
        wait_for(program, "Load Average 1 min (S)")
        program("stop", "spin 0.05")  # a reading that had begun is over
        machine["proc/self/statm"] = "9000 2000 1 1 1 1 1\n"
        program("spin 0.05")
        machine["proc/self/statm"] = "9000 3000 1 1 1 1 1\n"
        program("start")
        (recording,) = program.end()
    values = Series(recording)["CPU Memory Usage (S)"]
    assert values == [pytest.approx(4.096), pytest.approx(12.288)]


def test_descriptors_are_its_own(tmp_path):
    """A program that closes all it did not open leaves the files and the recording open."""
    machine = Machine(tmp_path)
    with Program(tmp_path, "-H", "--process-freq", "1000", env=machine.settings) as program:
        wait_for(program, "Temperature coretemp temp3 (S)")
        program("closeall")
        for pages in range(2000, 2100):  # more than the first chunks hold
            machine["proc/self/statm"] = f"9000 {pages} 1 1 1 1 1\n"
            machine["proc/self/io"] = f"rchar: {pages}000000\n"
            program("spin 0.002")
        (recording,) = program.end()
    series = Series(recording)
    assert series["CPU Memory Usage (S)"][-1] == pytest.approx(2099 * 4096e-6)
    assert series["I/O Read (S)"][-1] == 2099
    assert len(recording["points"]) > 200
    assert notes(recording, "machine") == []


def test_without_descriptors_of_its_own(tmp_path):
    """On an older kernel nothing is kept open, and the same is read."""
    library = tmp_path / "old.so"
    source = support.REPOSITORY / "tests" / "fakes" / "fake_old_kernel.c"
    command = ["cc", "-D_GNU_SOURCE", "-shared", "-fPIC", "-o", library, source, "-ldl"]
    assert support.run(command, cwd=tmp_path).returncode == 0
    machine = Machine(tmp_path)
    kymo = support.replaceable_kymo(tmp_path / "kymo")
    env = {**machine.settings, "LD_PRELOAD": library}
    options = ("-H", "--process-freq", "1000", "-C", "perf::PERF_COUNT_SW_PAGE_FAULTS")
    with Program(tmp_path, *options, env=env, kymo=kymo) as program:
        wait_for(program, "Temperature coretemp temp3 (S)")
        machine["proc/self/statm"] = "9000 2000 1 1 1 1 1\n"
        (recording,) = program.end()
    series = Series(recording)
    assert series["CPU Memory Usage (S)"] == [pytest.approx(4.096), pytest.approx(8.192)]
    assert series["Energy package-0 [0] (S)"][0] == 0
    (missing,) = notes(recording, "machine")
    assert "counters over time not recorded: " in missing and "descriptors" in missing
