#!/usr/bin/env python3
"""Check what the built libraries export and need: `check_exports.py BUILD`.

libkymo.so is loaded into users' processes: it may export only its own names and need only
libc.  The preloaded collectors export functions of the C library, which they wrap, and nothing
else.  None of them calls a function that another preloaded library may have replaced, nor does
`kymo` read the time with such a function.  Prints one
line for each fault and exits with 1 when there is any.
"""

import ctypes
import re
import subprocess
import sys
from pathlib import Path

# The dynamic loader is listed if thread-locals are used; it is always loaded.
ALWAYS_THERE = re.compile(r"^(libc\.so\.6|libc\.musl-.*|ld-linux.*|ld-musl.*)$")


def output_of(*command):
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout


def exported(path):
    """Names that a library exports."""
    lines = output_of("nm", "-D", "--defined-only", str(path)).splitlines()
    # Absolute ones are names of versions.
    return [line.split()[-1].split("@")[0] for line in lines if line.split()[-2] != "A"]


def needed(path):
    """Libraries that the loader loads with it."""
    return re.findall(r"\(NEEDED\).*\[(.*)\]", output_of("readelf", "-dW", str(path)))


def check(path, names, libraries):
    for name in exported(path):
        if not re.match(names, name):
            yield f"{path.name} exports '{name}'"
    for library in needed(path):
        if not ALWAYS_THERE.match(library) and library not in libraries:
            yield f"{path.name} needs {library}"


# Functions that other preloaded libraries replace (libfaketime, fakeroot, libeatmydata and
# tsocks), except those in src/platform/owncalls.h.
REPLACED_NAMES = (
    "alarm chmod chown clock clock_getres clock_gettime "
    "clock_nanosleep clock_settime connect epoll_pwait epoll_wait fchmodat "
    "fchown fdatasync fstatat fsync ftime getegid "
    "geteuid getentropy getpeername getrandom getresuid gettimeofday "
    "lchown mknod msync nanosleep open64 pselect "
    "pthread_cond_clockwait pthread_cond_timedwait remove rmdir select sem_clockwait "
    "sem_timedwait setitimer setpriority sleep statx sync "
    "sync_file_range time timer_gettime timer_settime timerfd_gettime timerfd_settime "
    "times timespec_get unlinkat usleep utime utimensat "
    "__clock_gettime __fxstat __gettimeofday __lxstat __open_2 __poll_chk "
    "__read_chk __time __xstat "
)
REPLACED = set(REPLACED_NAMES.split())
CLOCKS = {"clock_gettime", "clock_nanosleep", "gettimeofday", "nanosleep", "poll", "ppoll",
          "sleep", "time", "timespec_get", "usleep"}  # fmt: skip


def own_calls():
    """Functions that are called as system calls, and so never by their names."""
    source = Path(__file__).resolve().parent.parent / "src" / "platform" / "owncalls.h"
    return set(re.findall(r"^OWN_CALL\((\w+)\)$", source.read_text(), re.MULTILINE))


def check_calls(path, forbidden):
    for line in output_of("nm", "-D", "--undefined-only", str(path)).splitlines():
        name = line.split()[-1].split("@")[0]
        if name in forbidden:
            yield f"{path.name} calls '{name}', which another preloaded library may replace"


# Symbols that sanitizers and debuggers look up in a program, and `kymo attach` in one into which it
# has loaded the library.
ASKED_FOR = re.compile(
    r"__asan_default_options$|__tsan_default_suppressions$|kymo_functions_"
    r"|__jit_debug_(descriptor|register_code)$"
)


def check_wrappers(path):
    """A preloaded collector exports only names that libc has, too."""
    libc = ctypes.CDLL(None)
    for name in exported(path):
        if not ASKED_FOR.match(name) and not hasattr(libc, name):
            yield f"{path.name} exports '{name}', which the C library does not have"
    yield from check(path, "", ("libkymo.so",))


def main():
    build = Path(sys.argv[1])
    modules = sorted((build / "python" / "kymo").glob("_native.*.so"))
    found = list(check(build / "lib" / "libkymo.so", r"kymo_|ticks_read_fallback$", ()))
    for collector in sorted((build / "lib").glob("libkymo-*.so")):
        found += check_wrappers(collector)
    for module in modules:
        found += check(module, r"PyInit__native$", ("libkymo.so",))
    for library in [*(build / "lib").glob("libkymo*.so"), *modules]:
        found += check_calls(library, REPLACED | own_calls())
    for command in (build / "bin").glob("kymo"):
        found += check_calls(command, CLOCKS)
    for fault in found:
        print(fault)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
