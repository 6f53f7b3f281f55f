"""A fake machine: a folder with the files of /proc and /sys that the machine's collector reads.

It has what no machine of the tests need have: a throttled control group, energy counters that
begin anew, sensors, pressure.  Each value can be changed while a program runs."""

from pathlib import Path

ZONE = "sys/class/powercap/intel-rapl:0"
CHIP = "sys/class/hwmon/hwmon0"

FILES = {
    "proc/self/statm": "5000 1000 300 20 0 400 0\n",
    "proc/self/status": "Name:\tx\nVmPeak:\t   20000 kB\nVmHWM:\t    8000 kB\nThreads:\t1\n",
    "proc/self/io": "rchar: 3000000\nwchar: 2000000\nsyscr: 30\nsyscw: 20\n"
    "read_bytes: 4096000\nwrite_bytes: 8192000\ncancelled_write_bytes: 0\n",
    "proc/self/cgroup": "0::/box\n",
    "proc/self/net/dev": "Inter-|   Receive |  Transmit\n face |bytes packets|bytes packets\n"
    "    lo: 100 1 0 0 0 0 0 0 200 1 0 0 0 0 0 0\n"
    "wlan0:3000000 9 0 0 0 0 0 0 4000000 9 0 0 0 0 0 0\n",
    "proc/stat": "cpu  400 0 100 1500 0 0 0 0 0 0\ncpu0 200 0 50 750 0 0 0 0 0 0\n"
    "cpu7 200 0 50 750 0 0 0 0 0 0\nintr 1 2 3\n",
    "proc/loadavg": "1.25 0.75 0.50 2/300 4000\n",
    "proc/cpuinfo": "processor\t: 0\ncpu MHz\t\t: 1999.500\n\n"
    "processor\t: 7\ncpu MHz\t\t: 2500.25\n",
    "proc/pressure/cpu": "some avg10=12.50 avg60=1.00 avg300=0.10 total=5000000\n"
    "full avg10=0.00 avg60=0.00 avg300=0.00 total=0\n",
    "proc/pressure/memory": "some avg10=0.00 avg60=0.00 avg300=0.00 total=700\n"
    "full avg10=3.25 avg60=0.00 avg300=0.00 total=600\n",
    "sys/fs/cgroup/box/memory.max": "512000000\n",
    "sys/fs/cgroup/box/memory.current": "128000000\n",
    "sys/fs/cgroup/box/cpu.max": "150000 100000\n",
    "sys/fs/cgroup/box/cpu.stat": "usage_usec 1000000\nuser_usec 1\nsystem_usec 1\n"
    "nr_periods 50\nnr_throttled 10\nthrottled_usec 250000\n",
    "sys/devices/system/cpu/cpu0/cpufreq/scaling_cur_freq": "3400000\n",
    "sys/devices/system/cpu/cpu7/cpufreq/scaling_cur_freq": "800000\n",
    "sys/devices/system/cpu/cpuidle/x": "not a core\n",
    f"{ZONE}/name": "package-0\n",
    f"{ZONE}/energy_uj": "999000000\n",
    f"{ZONE}/max_energy_range_uj": "1000000000\n",
    f"{ZONE}/enabled": "1\n",
    f"{CHIP}/name": "coretemp\n",
    f"{CHIP}/temp1_input": "45500\n",
    f"{CHIP}/temp1_label": "Package id 0\n",
    f"{CHIP}/temp3_input": "-5000\n",
    "sys/class/thermal/thermal_zone0/temp": "99000\n",
    "sys/class/thermal/thermal_zone0/type": "acpitz\n",
}

FIRST_CGROUP = {
    "proc/self/cgroup": "5:memory:/job\n4:cpu,cpuacct:/job\n3:cpuset:/\n0::/\n",
    "sys/fs/cgroup/memory/job/memory.limit_in_bytes": "64000000\n",
    "sys/fs/cgroup/memory/job/memory.usage_in_bytes": "32000000\n",
    # What is not below the process's own folder is at the root of what is mounted.
    "sys/fs/cgroup/cpu/cpu.cfs_quota_us": "50000\n",
    "sys/fs/cgroup/cpu/cpu.cfs_period_us": "100000\n",
    "sys/fs/cgroup/cpu/cpu.stat": "nr_periods 8\nnr_throttled 4\nthrottled_time 500000000\n",
    "sys/fs/cgroup/cpuacct/job/cpuacct.usage": "7000000000\n",
}


class Machine:
    def __init__(self, folder, files=FILES):
        self.root = Path(folder) / "machine"
        for path, text in files.items():
            self[path] = text
        for folder in ("proc/self/fd", "proc/self/task"):
            (self.root / folder).mkdir(parents=True, exist_ok=True)

    def __setitem__(self, path, text):
        path = self.root / path
        path.parent.mkdir(parents=True, exist_ok=True)
        if path.exists():  # whoever has it open is to see it
            with open(path, "r+") as file:
                file.write(text)
                file.truncate()
        else:
            path.write_text(text)

    def remove(self, path):
        (self.root / path).unlink()

    @property
    def settings(self):
        return {"KYMO_PROCESS_SAMPLING_ROOT": self.root}
