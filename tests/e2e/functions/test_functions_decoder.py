"""Recordings of instrumented programs, read twice: by the decoder that was written from
docs/format.md alone, and by what users have, reports and exports.  The program calls by chance,
from a seed, and counts its calls itself: all three must have come to the same.
"""

import json
import re
import subprocess
from collections import Counter

import kymo_decoder
import pytest
from cases import long_except
from decoder_runs import differences, from_c
from functions_runs import KYMO, compile_c, run

# Plain calls, leaves, recursion, calls at the end (jumps, where the compiler makes them), calls
# through pointers, longjmp over several calls, and threads.
PROGRAM = """
#include <pthread.h>
#include <setjmp.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#define APART __attribute__((noinline, noclone))
enum { LEAF, TWICE, DOWN, HANDS_ON, CHOOSES, TRIES, JUMPS_OUT, STEP, WORK, MAIN, ALL };
static const char *const names[ALL] = {"leaf", "twice", "down", "hands_on", "chooses", "tries",
	"jumps_out", "step", "work", "main"};
static atomic_long calls[ALL], done;
struct dice { unsigned long state; jmp_buf *out; };
#define HERE(which) atomic_fetch_add_explicit(&calls[which], 1, memory_order_relaxed)
__attribute__((always_inline)) static inline unsigned throw_of(struct dice *dice, unsigned sides) {
	dice->state = dice->state * 6364136223846793005ul + 1442695040888963407ul;
	return (unsigned)(dice->state >> 33) % sides; }
APART long step(struct dice *dice, long depth);
APART long leaf(struct dice *dice, long depth) {
	HERE(LEAF); return (long)(dice->state & 7) + depth; }
APART long twice(struct dice *dice, long depth) {
	HERE(TWICE); return step(dice, depth - 1) + step(dice, depth - 1); }
APART long down(struct dice *dice, long depth) {
	HERE(DOWN);
	long below = depth > 0 ? down(dice, depth - 1) : leaf(dice, depth);
	done++; /* it is no loop */
	return below; }
APART long hands_on(struct dice *dice, long depth) {
	HERE(HANDS_ON); return step(dice, depth - 1); }
APART long chooses(struct dice *dice, long depth) {
	static long (*const which[])(struct dice *, long) = {leaf, down, hands_on, twice};
	HERE(CHOOSES); return which[throw_of(dice, 4)](dice, depth - 1) + 1; }
APART long jumps_out(struct dice *dice, long depth) {
	HERE(JUMPS_OUT);
	if (depth <= 0) longjmp(*dice->out, 1);
	long below = jumps_out(dice, depth - 1 - (long)throw_of(dice, 2));
	done++;
	return below; }
APART long tries(struct dice *dice, long depth) {
	jmp_buf here; jmp_buf *volatile before = dice->out;
	HERE(TRIES);
	dice->out = &here;
	if (!setjmp(here)) depth += jumps_out(dice, depth);
	dice->out = before;
	return depth; }
APART long step(struct dice *dice, long depth) {
	HERE(STEP);
	if (depth <= 0) return leaf(dice, depth);
	switch (throw_of(dice, 6)) {
	case 0: return twice(dice, depth);
	case 1: return down(dice, depth) + 1;
	case 2: return hands_on(dice, depth);
	case 3: return chooses(dice, depth) + 1;
	case 4: return tries(dice, depth) + 1;
	default: return leaf(dice, depth); } }
APART void *work(void *seed) {
	struct dice dice = {(unsigned long)seed, NULL}; long sum = 0;
	HERE(WORK);
	for (int i = 0; i < 300; i++) sum += step(&dice, 6);
	return (void *)sum; }
int main(int argc, char **argv) {
	unsigned long seed = strtoul(argv[argc - 1], NULL, 10); pthread_t thread;
	HERE(MAIN);
	pthread_create(&thread, NULL, work, (void *)(seed + 1000));
	work((void *)seed);
	pthread_join(thread, NULL);
	for (int i = 0; i < ALL; i++) printf("%s %ld\\n", names[i], atomic_load(&calls[i]));
	return 0; }
"""
COSTS = ["counts", "coarse", "full"]
SEEDS = [1, 20, 333]
KEPT = [("counts", 1), ("coarse", 20), ("full", 333)]


@pytest.fixture(scope="module")
def program(tmp_path_factory):
    return compile_c(tmp_path_factory.mktemp("program"), PROGRAM)


class Read:
    """A recorded run: what the program counted, and what the decoder makes of the recording."""

    def __init__(self, folder, program, cost, seed):
        done, (recording,) = run(folder, program, cost, seed)
        lines = (line.split() for line in done.stdout.splitlines())
        self.told = {name: int(calls) for name, calls in lines}
        self.cost, self.path = cost, recording.path
        self.decoded = json.loads(json.dumps(kymo_decoder.load(recording.path)))
        self.names = {
            region: recording.symbol(address)
            for _, address, _, _, region in self.decoded["functions"]
            if region
        }
        for region, label in enumerate(self.decoded["regions"]):
            self.names.setdefault(region, label["label"])

    def calls(self):
        """By name, of the program's own functions."""
        calls = Counter()
        for region, count in self.decoded["function_calls"]:
            calls[self.names[region]] += count
        for node in self.decoded["nodes"]:
            calls[self.names[node["region"]]] += node["count"]
        return {name: calls[name] for name in self.told}


CASES = long_except([(cost, seed) for cost in COSTS for seed in SEEDS], *KEPT)


@pytest.fixture(scope="module", params=CASES, ids=str)
def read(request, program, tmp_path_factory):
    cost, seed = request.param
    return Read(tmp_path_factory.mktemp(cost), program, cost, seed)


# Of counted calls neither paths nor times of single ones are known.
RECORDED = pytest.mark.parametrize("read", CASES[len(SEEDS) :], ids=str, indirect=True)


def kymo(*arguments):
    command = [str(KYMO), *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_calls_are_the_programs_own(read):
    rows = kymo("report", "--flat", "--format", "json", read.path)["regions"]
    reported = {row["name"]: row["calls"] for row in rows}
    assert read.told["step"] > 1000 and read.told["jumps_out"] > 100
    assert read.calls() == read.told
    assert {name: reported.get(name, 0) for name in read.told} == read.told


def shown(name):
    """Reports have one row for joins at one place: threads without a name have no address there."""
    return re.sub(r"^(pthread_join|pthread_cond_\w+)\(0x[0-9a-f]+\)$", r"\1", name)


def decoded_paths(read):
    """Those of all threads, each below the node that created it."""
    paths, below = Counter(), {}
    nodes = read.decoded["nodes"]
    for number in sorted({node["thread"] for node in nodes}):
        own = [node for node in nodes if node["thread"] == number]
        path = []
        for node in own:
            del path[node["depth"] :]
            path.append(shown(read.names[node["region"]]) if node["depth"] else None)
            whole = below.get(number, ()) + tuple(path[1:])
            below.update(dict.fromkeys(node["creates"], whole))
            if node["depth"]:
                paths[whole] += node["count"]
    return paths


@RECORDED
def test_tree_of_the_report(read):
    reported, path = Counter(), []
    # As in the file: where other calls lie is told by how long the functions were.
    raw = ["--tree", "--raw-times", "--format", "json"]
    for row in kymo("report", *raw, read.path)["paths"]:
        del path[row["depth"] :]
        path.append(row["name"])
        reported[tuple(path)] += row["calls"]
    assert len(reported) > 50
    assert reported == decoded_paths(read)


def told_events(shown):
    """By thread, what was entered and left in which order."""
    told = {}
    for event in shown:
        if event["ph"] in "BE":
            word = event["name"] if event["ph"] == "B" else None
            told.setdefault(event["tid"], []).append(word)
    return told


@RECORDED
def test_events_of_the_export(read):
    exported = kymo("export", "--format", "chrome", "-o", "-", read.path)
    events = exported["traceEvents"] if isinstance(exported, dict) else exported
    decoded = {}
    for thread, trace in zip(read.decoded["threads"], read.decoded["traces"]):
        assert thread["number"] == trace["thread"] and trace["dropped"] == 0
        decoded[thread["system_id"]] = [
            read.names[region] if what == "enter" else None for what, region, *_ in trace["events"]
        ]
    assert told_events(events) == decoded


def test_both_readers_agree(read):
    """On all but names, which the decoder does not look up."""
    shown, decoded = from_c(read.path), dict(read.decoded)
    del shown["regions"], decoded["regions"]
    assert list(differences(shown, decoded)) == []
