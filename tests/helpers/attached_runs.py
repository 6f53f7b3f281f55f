"""Programs that are instrumented while they run, by `kymo attach --functions`."""

import os
import subprocess
import time
from pathlib import Path

import support

FINE = ("fine\n", 7)


class Target:
    """A program that runs until end() is called."""

    def __init__(self, *command, ready="ready\n", **options):
        self.process = subprocess.Popen(
            [str(part) for part in command],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            **options,
        )
        assert self.process.stdout.readline() == ready
        self.pid = self.process.pid

    def end(self):
        output, _ = self.process.communicate("\n", timeout=support.TIMEOUT_S)
        return output, self.process.returncode

    def __enter__(self):
        return self

    def __exit__(self, *unused):
        if self.process.poll() is None:
            self.process.kill()
            self.process.communicate()


def cpu_used(pid):
    fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def wait_for_cpu(pid, seconds):
    """Wait until a process has used this much CPU time."""
    deadline = time.monotonic() + support.TIMEOUT_S
    while cpu_used(pid) < seconds:
        assert time.monotonic() < deadline
        time.sleep(0.02)


def wait_for_more_cpu(pid, seconds):
    """Wait until it has used this much more than now, however busy the machine is."""
    wait_for_cpu(pid, cpu_used(pid) + seconds)


def attach(target, folder, *options, env=None, **more):
    settings = {"KYMO_OUTPUT_PATH": Path(folder) / "out", "KYMO_TIME_OUTPUT": "OFF"}
    settings.update(env or {})
    return support.run_kymo(
        ["attach", "--functions", *options, target.pid], cwd=folder, env=settings, **more
    )


def begin(target, folder, *options):
    """kymo attach without a duration, once the functions are instrumented."""
    process = subprocess.Popen(
        [str(support.KYMO), "attach", "--functions", *options, str(target.pid)],
        cwd=str(folder),
        env=support.clean_environment(
            folder, {"KYMO_OUTPUT_PATH": Path(folder) / "out", "KYMO_TIME_OUTPUT": "OFF"}
        ),
        stderr=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        text=True,
    )
    line = process.stderr.readline()
    assert "are instrumented" in line, line + process.stderr.read()
    return process


def calls(folder):
    return support.region_calls(folder / "out")


def changed_text(pid):
    """Bytes of the program's code that differ from its file."""
    path, differences = os.readlink(f"/proc/{pid}/exe"), 0
    file = Path(path).read_bytes()
    with open(f"/proc/{pid}/mem", "rb", buffering=0) as memory:
        for line in Path(f"/proc/{pid}/maps").read_text().splitlines():
            place, rights, offset, _, _, *name = line.split(maxsplit=5)
            if "x" not in rights or name != [path]:
                continue
            start, end = (int(each, 16) for each in place.split("-"))
            memory.seek(start)
            there = memory.read(end - start)
            here = file[int(offset, 16) :][: len(there)]
            differences += sum(a != b for a, b in zip(there, here))
    return differences
