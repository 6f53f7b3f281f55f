/* Calibration: a loop of calls of an empty function, bare and under the instrumenter.
 * The calls are recorded into a scratch tree in private pages, which hangs off a thread
 * state that stands in for the real one meanwhile. */
#include "calibrate.h"

#include <string.h>

#include "base/pages.h"
#include "codecache.h"
#include "platform/usage.h"

#define CALLS	      2000
#define ROUNDS	      9
#define SCRATCH_BYTES (128u << 10)
#define NODE_OFFSET   4096u
#define EVENT_OFFSET  8192u
#define FIRST_REGION  1u /* any ids will do, nothing reads them */

static const char program[] = "def call():\n"
			      "    pass\n"
			      "def loop(calls):\n"
			      "    for _ in range(calls):\n"
			      "        call()\n"
			      "def loop_c(calls):\n"
			      "    for _ in range(calls):\n"
			      "        abs(1)\n";

/* root -> loop -> call, found by the nodes' caches, so that no slow path is taken. */
static struct kymo_node *scratch_nodes(char *base)
{
	struct kymo_node *nodes = (struct kymo_node *)(base + NODE_OFFSET);

	memcpy(base, KYMO_FORMAT_MAGIC, 8);
	for (uint32_t i = 0; i < 3; i++) {
		nodes[i].region = i == 0 ? 0 : FIRST_REGION + i;
		nodes[i].parent = i == 0 ? 0 : NODE_OFFSET / KYMO_NODE_UNIT + i - 1;
		nodes[i].cache = i == 2 ? 0 : NODE_OFFSET / KYMO_NODE_UNIT + i + 1;
		nodes[i].min = UINT64_MAX;
	}
	return nodes;
}

static void scratch_rewind(struct kymo_thread *scratch)
{
	scratch->current = scratch->root;
	scratch->event = (uint64_t *)(scratch->base + EVENT_OFFSET);
	scratch->event_base = kymo_now(scratch);
}

static void scratch_init(struct kymo_thread *scratch, char *base, const struct kymo_thread *own)
{
	memset(scratch, 0, sizeof(*scratch));
	scratch->base = base;
	scratch->root = scratch_nodes(base);
	scratch->clock_is_ticks = own->clock_is_ticks;
	scratch->event_limit = (uint64_t *)(base + SCRATCH_BYTES) - 8;
	scratch_rewind(scratch);
}

static void mark_recorded(PyObject *function, uint32_t region)
{
	PyObject *code = PyFunction_GetCode(function);

	codecache_set((PyCodeObject *)code, (uint64_t)region << 32 | codecache.record_tag);
}

/* Nanoseconds of CPU time of the loop; 0 with an exception. */
static uint64_t time_loop(PyObject *loop)
{
	uint64_t before = usage_clock_ns(CLOCK_THREAD_CPUTIME_ID);
	PyObject *result = PyObject_CallFunction(loop, "i", CALLS);
	uint64_t after = usage_clock_ns(CLOCK_THREAD_CPUTIME_ID);

	Py_XDECREF(result);
	return result ? after - before : 0;
}

static uint64_t time_best(PyObject *loop, struct kymo_thread *scratch)
{
	uint64_t best = UINT64_MAX;

	for (int round = 0; round < ROUNDS; round++) {
		uint64_t time;

		scratch_rewind(scratch);
		time = time_loop(loop);
		if (time < best)
			best = time;
	}
	return best;
}

/* Picoseconds that the instrumenter adds to one call in the loop. */
static uint64_t added_ps(PyObject *loop, struct kymo_thread *scratch)
{
	uint64_t bare = time_best(loop, scratch), hooked = 0;

	if (collector.active->start() < 0)
		return 0;
	hooked = time_best(loop, scratch);
	collector.active->stop();
	return hooked > bare ? (hooked - bare) * 1000 / CALLS : 0;
}

static void measure(PyObject *names, struct kymo_thread *scratch)
{
	PyObject *call = PyDict_GetItemString(names, "call");
	PyObject *loop = PyDict_GetItemString(names, "loop");

	mark_recorded(loop, FIRST_REGION + 1);
	mark_recorded(call, FIRST_REGION + 2);
	kymo_cost_set(added_ps(loop, scratch), 0);
}

/* The functions, in a namespace of their own; NULL with an exception.  PyRun_String()
 * would make the interpreter forget that the program was ended by an interrupt. */
static PyObject *define(void)
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

void calibrate(void)
{
	struct kymo_thread scratch, *own = kymo_thread();
	unsigned mode = collector.mode;
	PyObject *names;
	char *base;

	if (!own->record || collector.active)
		return;
	collector.active = instrumenter_select();
	base = pages_new(SCRATCH_BYTES);
	names = collector.active && base ? define() : NULL;
	if (names) {
		scratch_init(&scratch, base, own);
		collector.mode &= KYMO_MODE_PROFILE | KYMO_MODE_TRACE;
		kymo_thread_current = &scratch;
		measure(names, &scratch);
		kymo_thread_current = own;
		collector.mode = mode;
	}
	PyErr_Clear();
	Py_XDECREF(names);
	pages_free(base, SCRATCH_BYTES);
	collector.active = NULL;
}
