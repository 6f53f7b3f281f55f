/* Notes on sampling at the end: the sources of samples, the rate that was achieved, the cost of
 * one, and what was lost. */
#include "collectors/sampler/sampler_notes.h"

#include <inttypes.h>
#include <stdio.h>

#include "collectors/sampler/python/sampler_interpreter.h"
#include "collectors/sampler/sampler_event.h"
#include "collectors/sampler/sampler_kinds.h"
#include "collectors/sampler/sampler_state.h"
#include "runtime/store/note.h"

#define SIGNAL_NS 1000u /* of the kernel, to deliver a signal and to return */

struct sampler_totals sampler_totals;

static const char *const keys[SAMPLER_KINDS] = {"sampling realtime", "sampling cputime",
						"sampling overflow"};

static void notes_add(uint64_t *total, uint64_t amount)
{
	__atomic_add_fetch(total, amount, __ATOMIC_RELAXED);
}

void sampler_totals_add(struct sampler_thread *state)
{
	if (state->seen_ticks > state->start_ticks)
		sampler_totals.ns_per_tick = (double)(state->seen_ns - state->start_ns) /
					     (double)(state->seen_ticks - state->start_ticks);
	for (unsigned i = 0; i < SAMPLER_KINDS; i++)
		if (state->timer[i].engine == SAMPLER_EVENT &&
		    !sampler_event_is_open(&state->timer[i]))
			notes_add(&sampler_totals.closed_events, 1);
	notes_add(&sampler_totals.lost, state->stream.lost);
	notes_add(&sampler_totals.cost_ticks, state->cost_ticks);
	notes_add(&sampler_totals.cost_count, state->cost_count);
	state->cost_ticks = state->cost_count = 0;
}

static const char *engine_text(enum sampler_engine engine)
{
	switch (engine) {
	case SAMPLER_WALL:
		return "timers on the monotonic clock";
	case SAMPLER_CPU:
		return "timers on the threads' CPU clocks";
	case SAMPLER_WEIGHTED:
		return "timers on the monotonic clock, weighted by CPU time";
	case SAMPLER_EVENT:
		return "events of the kernel";
	case SAMPLER_NONE:
		break;
	}
	return "nothing";
}

/* The reader counts the samples. */
static void note_kind(unsigned index)
{
	const struct sampler_kind *kind = &sampler_plan.kind[index];
	char text[256];

	if (!kind->is_on)
		return;
	if (index == KYMO_SAMPLE_OVERFLOW - 1)
		snprintf(text, sizeof(text), "every %" PRIu64 " events requested, %s", kind->period,
			 engine_text(kind->engine));
	else
		snprintf(text, sizeof(text), "%.6g Hz requested, %s", 1e9 / (double)kind->period,
			 engine_text(kind->engine));
	kymo_note_add(KYMO_NOTE_INFO, keys[index], text);
}

static void note_loss(uint64_t count, const char *text)
{
	char line[256];

	if (!count)
		return;
	snprintf(line, sizeof(line), "%" PRIu64 " %s", count, text);
	kymo_note_add(KYMO_NOTE_LOSS, "sampling", line);
}

void sampler_notes_write(void)
{
	const char *obstacle = sampler_interpreter_obstacle();
	char text[256];

	for (unsigned i = 0; i < SAMPLER_KINDS; i++)
		note_kind(i);
	if (sampler_totals.cost_count) {
		snprintf(text, sizeof(text), "%.0f",
			 (double)sampler_totals.cost_ticks * sampler_totals.ns_per_tick +
				 (double)(sampler_totals.cost_count * SIGNAL_NS));
		kymo_note_add(KYMO_NOTE_INFO, "sampling cost ns", text);
		snprintf(text, sizeof(text), "%" PRIu64, sampler_totals.cost_count);
		kymo_note_add(KYMO_NOTE_INFO, "sampling signals", text);
	}
	note_loss(sampler_totals.unsampled_threads,
		  "threads were not sampled: the system had no timer, event or memory for them "
		  "(ulimit -i, ulimit -n)");
	note_loss(sampler_totals.closed_events,
		  "threads were not sampled to their ends: the program closed descriptors that "
		  "it had not opened, and with them their events");
	if (obstacle) {
		snprintf(text, sizeof(text), "Python frames were not sampled: %.200s", obstacle);
		kymo_note_add(KYMO_NOTE_LOSS, "sampling", text);
	}
	note_loss(sampler_totals.torn,
		  "Python stacks were changing while they were read: those samples have their "
		  "native frames only");
	note_loss(sampler_totals.lost, "samples at the ends of threads could not be recorded");
}
