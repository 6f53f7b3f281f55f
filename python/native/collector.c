/* The collector's state, its selection of an instrumenter and its per-thread state. */
#include "collector.h"

#include <string.h>

struct collector collector;

const struct instrumenter *const instrumenter_table[] = {
	&frame_instrumenter,	&dispatch_instrumenter, &monitoring_instrumenter,
	&cprofile_instrumenter, &profile_instrumenter,	&ctrace_instrumenter,
	&trace_instrumenter,	&dummy_instrumenter,	NULL,
};

#define STACK_FIRST 32

struct thread_notes *thread_notes(struct kymo_thread *thread)
{
	if (!thread->record)
		return NULL;
	if (!thread->collector)
		thread->collector = calloc(1, sizeof(struct thread_notes));
	return thread->collector;
}

bool region_push(uint32_t **stack, size_t *count, size_t *capacity, uint32_t region)
{
	if (*count == *capacity) {
		size_t larger = *capacity ? *capacity * 2 : STACK_FIRST;
		uint32_t *memory = realloc(*stack, larger * sizeof(**stack));

		if (!memory)
			return false;
		*stack = memory;
		*capacity = larger;
	}
	(*stack)[(*count)++] = region;
	return true;
}

const struct instrumenter *instrumenter_find(const char *name)
{
	for (int i = 0; instrumenter_table[i]; i++)
		if (!strcmp(instrumenter_table[i]->name, name))
			return instrumenter_table[i];
	return NULL;
}

/* The fastest correct one: docs/instrumenters.md has the measurements. */
static const struct instrumenter *automatic(void)
{
	if (PY_VERSION_HEX >= 0x030c0000)
		return dispatch_instrumenter.unavailable() ? &monitoring_instrumenter
							   : &dispatch_instrumenter;
	if (collector.trace_c || frame_instrumenter.misses())
		return &cprofile_instrumenter;
	if (collector.include_arguments && !frame_instrumenter.sees_arguments)
		return &cprofile_instrumenter;
	return &frame_instrumenter;
}

static const struct instrumenter *collector_refuse(const struct instrumenter *chosen,
						   const char *what)
{
	PyErr_Format(
		PyExc_ValueError,
		"instrumenter '%s' cannot record %s; choose '%s' or leave the choice to 'auto'",
		chosen->name, what, PY_VERSION_HEX >= 0x030c0000 ? "monitoring" : "cProfile");
	return NULL;
}

const struct instrumenter *instrumenter_select(void)
{
	const struct instrumenter *chosen = collector.chosen ? collector.chosen : automatic();

	if (chosen->unavailable()) {
		PyErr_Format(PyExc_ValueError, "instrumenter '%s' is not available: %s",
			     chosen->name, chosen->unavailable());
		return NULL;
	}
	if (collector.trace_c && !chosen->sees_c)
		return collector_refuse(chosen, "C functions (--trace-c)");
	if (collector.include_arguments && !chosen->sees_arguments)
		return collector_refuse(chosen, "arguments (--label args) on this Python version");
	return chosen;
}
