"""Running a command and reading what it used."""

import os
import subprocess
import time


class Usage:
    """CPU and wall seconds and peak memory of one finished command, children included."""

    def __init__(self, command, environment, output=None):
        started = time.perf_counter()
        process = subprocess.Popen(
            command,
            env=environment,
            stdout=output or subprocess.DEVNULL,
            stderr=subprocess.PIPE,
        )
        self.errors = process.stderr.read().decode(errors="replace")
        _, status, used = os.wait4(process.pid, 0)
        self.wall = time.perf_counter() - started
        self.cpu = used.ru_utime + used.ru_stime
        self.peak_bytes = used.ru_maxrss * 1024
        self.status = os.waitstatus_to_exitcode(status)
        process.returncode = self.status
        process.stderr.close()
        if self.status != 0:
            reason = (self.errors.strip().splitlines() or ["no message"])[-1]
            raise RuntimeError(f"{' '.join(command)}: status {self.status}: {reason}")
