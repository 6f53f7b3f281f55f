/* What the tests of switching under running threads share: changes as from outside, and what the
 * trace has then. */
#ifndef KYMO_GATE_CHANGES_FIXTURE_H
#define KYMO_GATE_CHANGES_FIXTURE_H

#include "gate_fixture.h"
#include "model/recording/recording_open.h"
#include "model/trace/trace_cursor.h"

/* Change number of the gate from outside, as of ticks. */
static inline void change(uint32_t cause, bool is_off, uint64_t ticks)
{
	CHECK(gateword_change(store.header, cause, is_off, ticks));
}

static inline void control(bool is_off, uint64_t ticks)
{
	change(KYMO_GATE_BY_CONTROL, is_off, ticks);
}

/* The clock passes some ticks. */
static inline uint64_t pass(void)
{
	uint64_t begin = ticks_now();

	while (ticks_now() < begin + 20000)
		;
	return ticks_now();
}

static inline void open_both(void)
{
	static const char *const settings[] = {"TRACE=ON", "PROFILE=ON", "CLOCK=monotonic", NULL};

	fixture_open(settings);
	thread = kymo_thread();
}

/* The time of a region in the trace of a thread of the closed recording, and how often. */
static inline uint64_t traced(uint32_t number, uint32_t region, unsigned *count_out)
{
	struct recording *recording = fixture_read(kymo_runtime_recording());
	struct trace_cursor *cursor;
	struct trace_event event;
	uint64_t since = 0, sum = 0, last = 0;

	*count_out = 0;
	CHECK(trace_cursor_new(recording, number, &cursor) == KYMO_OK);
	while (trace_cursor_next(cursor, &event)) {
		CHECK(event.ticks >= last);
		last = event.ticks;
		if (event.region != region)
			continue;
		*count_out += event.kind == TRACE_ENTER;
		if (event.kind == TRACE_ENTER)
			since = event.ticks;
		else
			sum += event.ticks - since;
	}
	trace_cursor_free(cursor);
	recording_free(recording);
	return sum;
}

#endif
