/* What the tests of traces share: one thread's events, and what a cursor makes of them as text. */
#ifndef KYMO_TRACED_FIXTURE_H
#define KYMO_TRACED_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "model/recording/recording.h"
#include "model/recording/recording_open.h"
#include "model/trace/trace_cursor.h"
#include "synthetic.h"

struct trace { /* a recording of one thread with regions "A", "B" and "C" */
	struct synthetic *synthetic;
	uint32_t a, b, c, thread;
};

static inline struct trace trace_new(void)
{
	struct trace trace = {.synthetic = synthetic_new(KYMO_HEADER_TRACE)};

	trace.a = synthetic_region(trace.synthetic, KYMO_REGION_PYTHON, "A");
	trace.b = synthetic_region(trace.synthetic, KYMO_REGION_PYTHON, "B");
	trace.c = synthetic_region(trace.synthetic, KYMO_REGION_PYTHON, "C");
	trace.thread = synthetic_thread(trace.synthetic, KYMO_NO_THREAD, NULL, 0);
	return trace;
}

static inline void add(struct trace *trace, enum kymo_event_kind kind, uint32_t region,
		       uint64_t time)
{
	synthetic_event(trace->synthetic, trace->thread, kind, region, time, 0);
}

/* "+A@1" enter, "-A@2" leave, "!A@2" unwind, ".A@3" instant, "?5@3" lost, with "*" when
 * made by the reader; blanks between. */
static inline void describe(const struct recording *recording, const struct trace_event *event,
			    char *text, size_t size)
{
	static const char signs[] = {
		[TRACE_ENTER] = '+',   [TRACE_LEAVE] = '-', [TRACE_UNWIND] = '!',
		[TRACE_INSTANT] = '.', [TRACE_LOST] = '?',  [TRACE_SEND] = '>',
		[TRACE_RECEIVE] = '<',
	};
	size_t used = strlen(text);
	char what[24];

	snprintf(what, sizeof(what), "%llu", (unsigned long long)event->value);
	snprintf(text + used, size - used, "%s%c%s@%lld%s", used ? " " : "", signs[event->kind],
		 event->kind == TRACE_LOST ? what : recording->regions[event->region].name,
		 (long long)recording_ns(recording, event->ticks), event->is_synthetic ? "*" : "");
}

static inline void assert_events_dropping(struct trace *trace, const char *expected,
					  uint64_t dropped)
{
	struct recording *recording = synthetic_open(trace->synthetic);
	struct trace_cursor *cursor;
	struct trace_event event;
	char text[1000] = "";

	assert_int_equal(trace_cursor_new(recording, trace->thread, &cursor), KYMO_OK);
	while (trace_cursor_next(cursor, &event))
		describe(recording, &event, text, sizeof(text));
	assert_false(trace_cursor_next(cursor, &event));
	assert_string_equal(text, expected);
	assert_int_equal(trace_cursor_dropped(cursor), dropped);
	trace_cursor_free(cursor);
	recording_free(recording);
	synthetic_free(trace->synthetic);
}

static inline void assert_events(struct trace *trace, const char *expected)
{
	assert_events_dropping(trace, expected, 0);
}

#endif
