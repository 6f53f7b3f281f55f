/* Calibration: loops of calls, alternately bare and under the instrumenter.
 *
 * The calls are recorded into a scratch tree in private pages, which belongs to a thread state that
 * temporarily replaces the real one.  Every other code object is stale in the epoch that begins
 * here, and a state without a record decides nothing, so anything else that runs (a finaliser, a
 * signal handler) leaves no trace in it. */
#include "calibrate.h"

#include <stdlib.h>
#include <string.h>

#include "base/pages.h"
#include "codecache.h"
#include "labels.h"
#include "platform/usage.h"

#define ITERATIONS	    400
#define ROUNDS		    15
#define EARLY_ROUNDS	    6
#define ATTEMPTS	    4 /* on a busy machine the result may be zero */
#define BLOCK		    3 /* of rounds, first bare, then hooked */
#define DEPTH		    3
#define CALLS_PER_ITERATION 2
#define PROFILE_BYTES	    (128u << 10)
#define TRACE_BYTES	    (1u << 20) /* like a chunk: programs, too, write events to new cache lines */
#define NODE_OFFSET	    4096u
#define NODE_SPACING	    4096u /* space for every metric's block after a node */
#define EVENT_OFFSET	    (NODE_OFFSET + (DEPTH + 1) * NODE_SPACING)
#define ROUND_BYTES	    (ITERATIONS * CALLS_PER_ITERATION * 2 * 3 * sizeof(uint64_t)) /* at most */
#define FIRST_REGION	    1u /* of Python functions; any ids will do, they are not read */

/* Two calls per iteration, the inner one below the outer one, as in programs.  Generators resume as
 * often, including at their end. */
static const char program[] = "def inner(value):\n"
			      "    return value\n"
			      "def call(value):\n"
			      "    return inner(value)\n"
			      "def loop(turns):\n"
			      "    for turn in range(turns):\n"
			      "        call(turn)\n"
			      "def numbers(turns):\n"
			      "    for turn in range(turns + turns - 1):\n"
			      "        yield turn\n"
			      "def loop_numbers(turns):\n"
			      "    for turn in numbers(turns):\n"
			      "        pass\n"
			      "def loop_c(turns):\n"
			      "    for turn in range(turns):\n"
			      "        abs(turn)\n"
			      "        abs(turn)\n"
			      "def loop_none(turns):\n"
			      "    for turn in range(turns):\n"
			      "        turn is turn\n"
			      "        turn is turn\n";

struct scratch {
	struct kymo_thread thread;
	char *base;
	size_t bytes;
	const uint64_t *events; /* of the last loop */
	int rounds;
	uint32_t region; /* of the measured calls */
	int level;	 /* of their node */
};

static uint32_t node_reference(int level)
{
	return (NODE_OFFSET + (uint32_t)level * NODE_SPACING) / KYMO_NODE_UNIT;
}

/* root -> regions[0] -> regions[1] …, found by the nodes' caches: no slow path is taken. */
static void scratch_plant(struct scratch *scratch, const uint32_t *regions, int count)
{
	scratch->region = regions[count - 1];
	scratch->level = count;
	memcpy(scratch->base, KYMO_FORMAT_MAGIC, 8);
	for (int level = 0; level <= count; level++) {
		struct kymo_node *node = kymo_node_at(&scratch->thread, node_reference(level));

		memset(node, 0, sizeof(*node));
		node->region = level == 0 ? 0 : regions[level - 1];
		node->parent = level == 0 ? 0 : node_reference(level - 1);
		node->cache = level == count ? 0 : node_reference(level + 1);
		node->min = UINT64_MAX;
	}
	scratch->thread.root = kymo_node_at(&scratch->thread, node_reference(0));
}

static void scratch_rewind(struct scratch *scratch)
{
	struct kymo_thread *thread = &scratch->thread;

	thread->current = thread->root;
	thread->event_limit = (uint64_t *)(scratch->base + scratch->bytes) - 8;
	if (!thread->event || thread->event + ROUND_BYTES / sizeof(uint64_t) > thread->event_limit)
		thread->event = (uint64_t *)(scratch->base + EVENT_OFFSET);
	scratch->events = thread->event;
	thread->event_base = kymo_now(thread);
}

static void scratch_init(struct scratch *scratch, char *base, size_t bytes, int rounds)
{
	memset(scratch, 0, sizeof(*scratch));
	memset(base, 0, bytes); /* page faults happen here */
	scratch->bytes = bytes;
	scratch->rounds = rounds;
	scratch->base = scratch->thread.base = base;
	scratch->thread.clock_is_ticks = kymo_clock_is_ticks();
}

static void mark_recorded(PyObject *function, uint32_t region)
{
	PyObject *code = PyFunction_GetCode(function);

	uint32_t marks = codecache_marks((PyCodeObject *)code) ? CODE_GENERATOR : 0;

	codecache_set((PyCodeObject *)code, (uint64_t)region << 32 | codecache.record_tag | marks);
}

/* By the trace: the ticks between the enters and the leaves of the calls, and their number. */
static uint64_t traced_ticks(const struct scratch *scratch, uint64_t *count_out)
{
	uint64_t sum = 0, enter = 0;

	for (const uint64_t *event = scratch->events; event < scratch->thread.event; event++) {
		bool is_resume = kymo_event_kind(*event) == KYMO_EVENT_RESUME;
		uint64_t head = *event;

		event += is_resume; /* selects the generator */
		if (kymo_event_region(head) != scratch->region)
			continue;
		if (is_resume || kymo_event_kind(head) == KYMO_EVENT_ENTER) {
			enter = kymo_event_ticks(head);
		} else if (kymo_event_kind(head) == KYMO_EVENT_LEAVE) {
			sum += kymo_event_ticks(head) - enter;
			++*count_out;
		}
	}
	return sum;
}

/* Thousandths of a tick between the two clock readings of one call. */
static int64_t inside_of_call(struct scratch *scratch)
{
	struct kymo_node *node = kymo_node_at(&scratch->thread, node_reference(scratch->level));
	uint64_t count = 0, sum;

	if (collector.mode & KYMO_MODE_PROFILE) {
		count = node->count;
		sum = node->sum;
	} else {
		sum = traced_ticks(scratch, &count);
	}
	node->count = node->sum = 0;
	return count ? (int64_t)(sum * 1000 / count) : 0;
}

/* One run of the loop. */
static void time_loop(PyObject *loop, struct scratch *scratch, int64_t *cpu_ns,
		      int64_t *inside_ticks)
{
	uint64_t before, after;
	PyObject *result;

	scratch_rewind(scratch);
	before = usage_clock_ns(CLOCK_THREAD_CPUTIME_ID);
	result = PyObject_CallFunction(loop, "i", ITERATIONS);
	after = usage_clock_ns(CLOCK_THREAD_CPUTIME_ID);
	Py_XDECREF(result);
	*cpu_ns = (int64_t)(after - before);
	*inside_ticks = inside_of_call(scratch);
}

static int calibrate_compare(const void *left, const void *right)
{
	int64_t a = *(const int64_t *)left, b = *(const int64_t *)right;

	return (a > b) - (a < b);
}

/* The lower quartile: other load makes rounds longer, never shorter, and programs do not run under
 * the best of conditions either. */
static int64_t usual(int64_t *values, int count)
{
	qsort(values, (size_t)count, sizeof(*values), calibrate_compare);
	return values[count / 4];
}

struct moment { /* of two clocks */
	uint64_t ticks, ns;
};

static struct moment now(const struct scratch *scratch)
{
	return (struct moment){kymo_now(&scratch->thread), usage_clock_ns(CLOCK_MONOTONIC)};
}

/* Thousandths of a tick in picoseconds. */
static uint64_t ticks_ps(int64_t ticks, struct moment start, struct moment end)
{
	if (end.ticks <= start.ticks || end.ns <= start.ns)
		return 0;
	return (uint64_t)((double)ticks * (double)(end.ns - start.ns) /
			  (double)(end.ticks - start.ticks));
}

struct rounds { /* nanoseconds of the loop, and ticks within the calls' own time */
	int64_t bare[ROUNDS], hooked[ROUNDS], inside[ROUNDS];
};

/* After one more, not timed: caches are cold, and the interpreter specialises its code, for
 * instrumentation, too. */
static void time_block(PyObject *loop, struct scratch *scratch, int64_t *cpu_ns, int64_t *inside)
{
	time_loop(loop, scratch, cpu_ns, inside);
	for (int i = 0; i < BLOCK; i++)
		time_loop(loop, scratch, &cpu_ns[i], &inside[i]);
}

/* Alternating, since the processor's frequency varies over a longer time. */
static bool time_rounds(PyObject *loop, struct scratch *scratch, struct rounds *rounds)
{
	for (int i = 0; i < scratch->rounds; i += BLOCK) {
		time_block(loop, scratch, &rounds->bare[i], &rounds->inside[i]);
		if (collector.active->start() < 0)
			return false;
		time_block(loop, scratch, &rounds->hooked[i], &rounds->inside[i]);
		collector.active->stop();
	}
	return true;
}

/* What the instrumenter adds to one call in the loop.  Its work for an enter and for a leave is
 * about equal; half of each is within the call's own time, but not more than an empty call appears
 * to take. */
static struct kymo_visit_cost added(PyObject *loop, struct scratch *scratch, int attempts)
{
	struct kymo_visit_cost cost = {0};
	struct moment start = now(scratch);
	struct rounds rounds;
	int64_t ns = 0;

	for (int i = 0; i < attempts && ns <= 0; i++) {
		if (!time_rounds(loop, scratch, &rounds))
			return cost;
		ns = usual(rounds.hooked, scratch->rounds) - usual(rounds.bare, scratch->rounds);
	}
	if (ns <= 0)
		return cost;
	cost.all_ps = (uint64_t)ns * 1000 / (ITERATIONS * CALLS_PER_ITERATION);
	cost.inside_ps = ticks_ps(usual(rounds.inside, scratch->rounds), start, now(scratch));
	if (collector.mode & KYMO_MODE_POSITIONS || cost.inside_ps > cost.all_ps / 2)
		cost.inside_ps = cost.all_ps / 2;
	return cost;
}

/* Of the functions, the outermost is the loop. */
static struct kymo_visit_cost measure_python(PyObject *names, struct scratch *scratch,
					     const char *const *functions, int count)
{
	uint32_t regions[DEPTH];

	for (int i = 0; i < count; i++) {
		regions[i] = FIRST_REGION + (uint32_t)i;
		mark_recorded(PyDict_GetItemString(names, functions[i]), regions[i]);
	}
	scratch_plant(scratch, regions, count);
	return added(PyDict_GetItemString(names, functions[0]), scratch, ATTEMPTS);
}

static struct kymo_visit_cost measure_calls(PyObject *names, struct scratch *scratch)
{
	static const char *const functions[DEPTH] = {"loop", "call", "inner"};

	return measure_python(names, scratch, functions, DEPTH);
}

/* If the scratch state does not receive them they are unknown: the figures of calls are used. */
static struct kymo_visit_cost measure_resumes(PyObject *names, struct scratch *scratch)
{
	static const char *const functions[] = {"loop_numbers", "numbers"};
	struct kymo_visit_cost cost = measure_python(names, scratch, functions, 2);

	return cost.inside_ps > 0 ? cost : (struct kymo_visit_cost){0, 0};
}

/* If every instruction is slower while C functions are instrumented, as on 3.11, that is no cost of
 * a call. */
static struct kymo_visit_cost measure_c(PyObject *names, struct scratch *scratch, uint32_t c_region)
{
	uint32_t regions[2] = {c_region + 1, c_region};
	struct kymo_visit_cost cost, none;

	mark_recorded(PyDict_GetItemString(names, "loop_c"), regions[0]);
	mark_recorded(PyDict_GetItemString(names, "loop_none"), regions[0]);
	scratch_plant(scratch, regions, 2);
	cost = added(PyDict_GetItemString(names, "loop_c"), scratch, ATTEMPTS);
	none = added(PyDict_GetItemString(names, "loop_none"), scratch, 1);
	cost.all_ps -= none.all_ps < cost.all_ps ? none.all_ps : cost.all_ps;
	if (cost.inside_ps > cost.all_ps / 2)
		cost.inside_ps = cost.all_ps / 2;
	return cost;
}

/* The functions, in a namespace of their own; NULL with an exception.  PyRun_String() would make
 * the interpreter forget that the program was ended by an interrupt. */
static PyObject *calibrate_define(void)
{
	PyObject *names = PyDict_New(), *result = NULL;
	PyObject *code = Py_CompileString(program, "<calibration>", Py_file_input);

	if (names && code && PyDict_SetItemString(names, "__builtins__", PyEval_GetBuiltins()) == 0)
		result = PyEval_EvalCode(code, names, names);
	if (!result)
		Py_CLEAR(names);
	Py_XDECREF(result);
	Py_XDECREF(code);
	return names;
}

/* The region is interned before the scratch state is active: it is in the real table. */
static uint32_t region_of_c_call(void)
{
	PyObject *function = PyDict_GetItemString(PyEval_GetBuiltins(), "abs");
	const struct c_label *label =
		collector.trace_c && function ? label_intern_c(function) : NULL;

	return label ? label->region : 0;
}

static void calibrate_measure(PyObject *names, char *base, size_t bytes, struct kymo_thread *own,
			      int rounds)
{
	uint32_t c_region = region_of_c_call();
	struct scratch scratch;
	struct kymo_visit_costs costs = {0};

	scratch_init(&scratch, base, bytes, rounds);
	kymo_thread_current = &scratch.thread;
	costs.call = measure_calls(names, &scratch);
	costs.resume = measure_resumes(names, &scratch);
	if (c_region)
		costs.c_call = measure_c(names, &scratch, c_region);
	kymo_thread_current = own;
	kymo_cost_set(&costs);
}

/* Annotated events take the slow path, which needs a record: theirs are measured without it. */
static void calibrate_by(struct kymo_thread *own, int rounds)
{
	size_t bytes = collector.mode & KYMO_MODE_TRACE ? TRACE_BYTES : PROFILE_BYTES;
	bool is_annotating = collector.annotate;
	PyObject *names;
	char *base;

	collector.active = instrumenter_select();
	collector.annotate = false;
	codecache_renew();
	base = pages_new(bytes);
	names = collector.active && base ? calibrate_define() : NULL;
	if (names)
		calibrate_measure(names, base, bytes, own, rounds);
	PyErr_Clear();
	Py_XDECREF(names);
	pages_free(base, bytes);
	collector.active = NULL;
	collector.annotate = is_annotating;
	codecache_renew();
}

/* Calls of other threads in progress would be recorded without their beginning. */
static bool calibrate_is_alone(void)
{
	PyThreadState *first = PyInterpreterState_ThreadHead(PyThreadState_Get()->interp);

	return first && !PyThreadState_Next(first);
}

/* The thread may have no state yet, and gets none here: its time begins with its first event. */
void calibrate_early(void)
{
	if (kymo_runtime_state() == KYMO_RUNTIME_ACTIVE && !collector.active &&
	    calibrate_is_alone())
		calibrate_by(kymo_thread_current, EARLY_ROUNDS);
}

void calibrate(void)
{
	struct kymo_thread *own = kymo_thread();

	if (own->record && !collector.active)
		calibrate_by(own, ROUNDS);
}
