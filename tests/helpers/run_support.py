"""Shared by the tests of `kymo run`: a program that prints facts about itself, and runs of it."""

import subprocess
from pathlib import Path

import support

# As the program itself, and as its parent.
FORK = [[], ["--fork"]]

# Prints what a program can see of how it was started, or does what its argument selects.
TELLER = r"""
#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static volatile sig_atomic_t count;

static void on_signal(int number)
{
	(void)number;
	count++;
}

static void print_lines(const char *prefix, const char *path)
{
	FILE *file = fopen(path, "r");
	char line[4096];

	while (file && fgets(line, sizeof(line), file))
		if (!strncmp(line, prefix, strlen(prefix)))
			fputs(line, stdout);
	if (file)
		fclose(file);
}

/* Count signals until the input ends. */
static int count_signals(int number)
{
	struct sigaction action = {.sa_handler = on_signal};
	char byte;

	sigaction(number, &action, NULL);
	puts("ready");
	fflush(stdout);
	while (read(0, &byte, 1) != 0)
		continue;
	printf("%d\n", (int)count);
	return 0;
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";

	if (!strcmp(what, "exit"))
		return atoi(argv[2]);
	if (!strcmp(what, "signal"))
		raise(atoi(argv[2]));
	if (!strcmp(what, "count"))
		return count_signals(atoi(argv[2]));
	if (!strcmp(what, "self")) {
		printf("%s %d\n", argv[0], (int)getpid());
		print_lines("Sig", "/proc/self/status");
	}
	if (!strcmp(what, "value"))
		for (int i = 2; i < argc; i++)
			printf("%s\n", getenv(argv[i]) ? getenv(argv[i]) : "(not set)");
	return 0;
}
"""


def compile_teller(folder, name="teller", *flags):
    """The program above, compiled in folder."""
    folder = Path(folder)
    source = folder / f"{name}.c"
    source.write_text(TELLER)
    binary = folder / name
    command = ["cc", "-O1", "-o", str(binary), str(source), *flags]
    subprocess.run(command, check=True, capture_output=True)
    return binary


def run(words, cwd, env=None, **options):
    """`kymo run words` in cwd, with the output in cwd/out and nothing printed at the end."""
    own = {"KYMO_OUTPUT_PATH": Path(cwd) / "out", "KYMO_TIME_OUTPUT": "OFF", "KYMO_QUIET": "ON"}
    own.update(env or {})
    return support.run([support.KYMO, "run", *words], cwd=cwd, env=own, **options)


def values(names, words, cwd, env=None):
    """The values of these environment variables in the program."""
    teller = Path(cwd) / "teller"
    if not teller.exists():
        compile_teller(cwd)
    result = run([*words, "--", teller, "value", *names], cwd, env)
    assert result.returncode == 0, result.stderr
    found = result.stdout.splitlines()
    return {name: None if text == "(not set)" else text for name, text in zip(names, found)}
