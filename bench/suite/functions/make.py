"""`make -j2` of a C project, bare and with every process recorded."""

import os
import shutil

from suite import native, setup
from suite.outside import Usage
from suite.table import median, show

FILES = 300

HEADERS = ["assert", "ctype", "errno", "math", "stdio", "stdlib", "string", "time", "unistd"]

FUNCTION = """
static double {name}_{number}(const double *values, size_t count, double scale)
{{
	double sum = 0, largest = 0;
	char text[64];

	assert(values != NULL);
	for (size_t i = 0; i < count; i++) {{
		double value = values[i] * scale + {number};

		if (isnan(value))
			continue;
		if (fabs(value) > largest)
			largest = fabs(value);
		sum += sqrt(fabs(value)) / (1.0 + i);
	}}
	snprintf(text, sizeof(text), "%.3f of %zu", sum, count);
	for (char *byte = text; *byte; byte++)
		if (isdigit((unsigned char)*byte))
			sum += *byte - '0';
	return strlen(text) > {number} ? sum : largest;
}}
"""

MAKEFILE = """
CFLAGS = -O1
objects = $(patsubst %.c,%.o,$(wildcard *.c))
program: $(objects)
	$(CC) -o $@ $^ -lm
%.o: %.c
	$(CC) $(CFLAGS) -c -o $@ $<
"""


def _source(name):
    """About 150 lines."""
    lines = [f"#include <{header}.h>" for header in HEADERS]
    lines += [FUNCTION.format(name=name, number=number) for number in range(6)]
    sums = " + ".join(f"{name}_{number}(values, count, {number}.5)" for number in range(6))
    lines.append(f"double {name}(const double *values, size_t count);")
    lines.append(f"double {name}(const double *values, size_t count)\n{{\n\treturn {sums};\n}}\n")
    return "\n".join(lines)


def generate(folder, files):
    os.makedirs(folder)
    names = [f"part{number:03}" for number in range(files)]
    for name in names:
        with open(os.path.join(folder, name + ".c"), "w") as file:
            file.write(_source(name))
    with open(os.path.join(folder, "main.c"), "w") as file:
        file.write("#include <stdio.h>\n")
        for name in names:
            file.write(f"double {name}(const double *, size_t);\n")
        calls = " + ".join(f"{name}(values, 2)" for name in names)
        file.write("int main(void)\n{\n\tconst double values[] = {1, 2};\n")
        file.write(f'\tprintf("%f\\n", {calls});\n\treturn 0;\n}}\n')
    with open(os.path.join(folder, "Makefile"), "w") as file:
        file.write(MAKEFILE)


def _build(project, command, variables):
    for name in os.listdir(project):
        if name.endswith(".o"):
            os.unlink(os.path.join(project, name))
    return Usage([*command, "make", "-j2", "-s", "-C", project], variables)


def _recordings(out):
    return sum(name.endswith(".kymo") for _, _, names in os.walk(out) for name in names)


def run(_versions, rounds):
    ways = {"bare": [], "kymo run": native.under()}
    results, counts = {name: [] for name in ways}, {}
    with native.workplace() as folder:
        project, out = os.path.join(folder, "project"), os.path.join(folder, "run")
        generate(project, FILES)
        variables = setup.environment(out, {"KYMO_FINISH": "ON"})
        _build(project, [], variables)  # once, so that everybody finds the files read
        for _ in range(rounds):
            for name, command in ways.items():
                results[name].append(_build(project, command, variables))
                counts[name] = _recordings(out)
                shutil.rmtree(out, ignore_errors=True)
    rows = []
    for name, usages in results.items():
        walls = [usage.wall / bare.wall for usage, bare in zip(usages, results["bare"])]
        cpus = [usage.cpu / bare.cpu for usage, bare in zip(usages, results["bare"])]
        wall, cpu = (median([getattr(u, kind) for u in usages]) for kind in ("wall", "cpu"))
        row = [name, f"{wall:.2f}", f"{median(walls):.3f}", f"{cpu:.2f}", f"{median(cpus):.3f}"]
        rows.append([*row, counts[name]])
    header = ["", "wall, s", "times bare", "CPU, s", "times bare", "recordings"]
    show(f"make -j2 of {FILES} files", header, rows)
