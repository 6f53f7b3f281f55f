"""What Kymo and other tools say of addresses of a program that was compiled for it."""

import re
import shutil
import subprocess

import pytest
import support

LOCATE = support.BUILD / "tests" / "locate_addresses"

INLINED = "locations_inlined.c"


def call(*command, input=None):
    result = subprocess.run(
        [str(part) for part in command], input=input, capture_output=True, text=True, timeout=120
    )
    assert result.returncode == 0, result.stderr
    return result.stdout


def build(folder, compiler, source, *flags, name="program"):
    if not shutil.which(compiler):
        pytest.skip(f"no {compiler}")
    path = folder / name
    # In the folder, so that split debug information lies beside the program.
    subprocess.run([compiler, *flags, support.program(source), "-o", path], check=True, cwd=folder)
    return path


def instructions(program, *sections):
    """Addresses of all instructions, as hexadecimal digits."""
    listing = call("objdump", "-d", "--no-show-raw-insn", *sections, program)
    return re.findall(r"^ +([0-9a-f]+):\t", listing, re.MULTILINE)


class Place:
    """One function at an address."""

    def __init__(self, function, file, line, first_line="0", flags=""):
        self.function = function
        self.file = file.rsplit("/", 1)[-1]
        self.line = int(line)
        self.first_line = int(first_line)
        self.is_inlined = "i" in flags
        self.is_named = "n" in flags

    def __repr__(self):
        return f"{self.function} ({self.file}:{self.line})"

    @property
    def row(self):
        return (self.file, self.line)


def locate(program, addresses, *options, env=None):
    """({address: [Place]}, problems) as Kymo says."""
    result = support.run(
        [LOCATE, program, *options], cwd=program.parent, input="\n".join(addresses), env=env
    )
    assert result.returncode == 0, result.stderr
    found = {}
    for line in result.stdout.splitlines():
        address, *fields = line.split("\t")
        found.setdefault(address, []).append(Place(*fields))
    return found, result.stderr.splitlines()


def addr2line(program, addresses):
    """The same by binutils."""
    text = call("addr2line", "-a", "-i", "-f", "-C", "-e", program, input="\n".join(addresses))
    found = {}
    lines = iter(text.splitlines())
    places = None
    for line in lines:
        if re.fullmatch("0x[0-9a-f]+", line):
            places = found[line[2:].lstrip("0")] = []
            continue
        file, number = re.sub(r" \(discriminator \d+\)", "", next(lines)).rsplit(":", 1)
        places.append(Place(line, file, number.replace("?", "0")))
    return found


def functions_of(found):
    return {address: [repr(place) for place in places] for address, places in found.items()}


def build_id(program):
    return re.search("Build ID: ([0-9a-f]+)", call("readelf", "-n", program)).group(1)
