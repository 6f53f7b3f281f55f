/* The events of a recording's threads, in order. */
#ifndef KYMO_TRACE_CURSOR_H
#define KYMO_TRACE_CURSOR_H

#include <stdbool.h>
#include <stdint.h>

#include "model/recording/recording.h"

enum trace_event_kind {
	TRACE_ENTER,
	TRACE_LEAVE,
	TRACE_UNWIND, /* left by an exception */
	TRACE_INSTANT,
	TRACE_LOST,    /* value events are missing here */
	TRACE_SEND,    /* value: the same as that of the matching TRACE_RECEIVE */
	TRACE_RECEIVE, /* of the region's name */
};

struct trace_event {
	enum trace_event_kind kind;
	uint32_t thread;
	uint32_t region;
	uint64_t ticks;
	uint64_t left_out;	  /* of the ticks so far, those excluded from the times of calls */
	uint64_t identity;	  /* of the generator resumed, 0 = none */
	int32_t last_instruction; /* bytecode offset, -1 = not recorded */
	bool is_synthetic; /* added by the reader to close an open region or an unmatched one */
	uint64_t value;
};

/* All events of one thread in order; enters and leaves always balance: leaves without an enter are
 * dropped and counted, enters still open are closed at the end.  Memory is bounded by the depth of
 * the stack, not by the length of the trace. */
struct trace_cursor;
enum kymo_status trace_cursor_new(const struct recording *recording, uint32_t thread,
				  struct trace_cursor **out);
bool trace_cursor_next(struct trace_cursor *cursor, struct trace_event *event_out);
/* A value that belongs to the last enter or instant, with its name; call it until it returns false,
 * or not at all. */
struct trace_value {
	const char *name;
	enum kymo_value_type type;
	union {
		const char *text; /* never NULL */
		int64_t number;	  /* SIGNED */
		uint64_t natural; /* UNSIGNED, POINTER */
		double real;
	} as;
};
bool trace_cursor_value(struct trace_cursor *cursor, struct trace_value *value_out);
/* True if the last event and all that follow close what was open at the end. */
bool trace_cursor_is_at_end(const struct trace_cursor *cursor);
/* How much of the thread's time so far is foreign; NULL = not recorded. */
struct foreign_time;
const struct foreign_time *trace_cursor_foreign(const struct trace_cursor *cursor);
/* Records ignored so far: leaves without an enter, unknown ids. */
uint64_t trace_cursor_dropped(const struct trace_cursor *cursor);
void trace_cursor_free(struct trace_cursor *cursor);

#endif
