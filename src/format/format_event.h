/* Events of a trace. */
#ifndef KYMO_FORMAT_EVENT_H
#define KYMO_FORMAT_EVENT_H

#include <stdint.h>

/* EVENTS payload: 64-bit words.  A record is one head word and, by kind, further words.
 * The head is written last; a zero head ends the chunk (used is not maintained while
 * the chunk is written).  Head: bits 0-39 ticks since the chunk's base (or since the
 * last TIME record), 40-60 region id, 61-63 kind. */
enum kymo_event_kind {
	KYMO_EVENT_END = 0,
	KYMO_EVENT_ENTER = 1,
	KYMO_EVENT_LEAVE = 2,	  /* by return or yield */
	KYMO_EVENT_UNWIND = 3,	  /* left by an exception */
	KYMO_EVENT_RESUME = 4,	  /* enter of a generator; word 1 = its identity */
	KYMO_EVENT_ANNOTATED = 5, /* enter; word 1 = bytecode offset, identity in the upper half */
	KYMO_EVENT_TIME = 6,	  /* word 1 = new base, ticks */
	KYMO_EVENT_EXTENDED = 7,  /* id bits 40-47 extension, 48-55 further words */
};

enum kymo_event_extension {
	KYMO_EXTENDED_ENTER = 1,   /* word 1 = region id too wide for the head */
	KYMO_EXTENDED_INSTANT = 2, /* word 1 = region id */
	KYMO_EXTENDED_LOST = 3,	   /* word 1 = events not recorded before this one */
	KYMO_EXTENDED_LEAVE = 4,   /* leave; word 1 = region id too wide for the head */
	/* Every open region is left: collection stopped.  Word 1 = region id: except the
	 * innermost one of it, and what is outside of that; 0 or absent = all are left. */
	KYMO_EXTENDED_UNWIND_ALL = 5,
	/* A value that belongs to the enter, leave or instant before it, or to the value before
	 * it, and so to the same event.  Word 1 = string reference of
	 * its name, enum kymo_value_type in bits 56-63; word 2 = the value. */
	KYMO_EXTENDED_VALUE = 6,
	/* A message or dependency between threads.  Word 1 = region id of its name; word 2 = the
	 * id that sender and receiver have. */
	KYMO_EXTENDED_SEND = 7,
	KYMO_EXTENDED_RECEIVE = 8,
};

enum kymo_value_type {
	KYMO_VALUE_TEXT = 1, /* the value is a string reference */
	KYMO_VALUE_SIGNED = 2,
	KYMO_VALUE_UNSIGNED = 3,
	KYMO_VALUE_FLOAT = 4, /* bits of a double */
	KYMO_VALUE_POINTER = 5,
};

#define KYMO_EVENT_TICK_BITS   40
#define KYMO_EVENT_REGION_BITS 21
#define KYMO_EVENT_TICK_MAX    ((UINT64_C(1) << KYMO_EVENT_TICK_BITS) - 1)
#define KYMO_EVENT_REGION_MAX  ((1u << KYMO_EVENT_REGION_BITS) - 1)

static inline uint64_t kymo_event_head(enum kymo_event_kind kind, uint32_t region, uint64_t ticks)
{
	return ((uint64_t)kind << 61) | ((uint64_t)region << KYMO_EVENT_TICK_BITS) | ticks;
}

static inline enum kymo_event_kind kymo_event_kind(uint64_t head)
{
	return (enum kymo_event_kind)(head >> 61);
}

static inline uint32_t kymo_event_region(uint64_t head)
{
	return (uint32_t)(head >> KYMO_EVENT_TICK_BITS) & KYMO_EVENT_REGION_MAX;
}

static inline uint64_t kymo_event_ticks(uint64_t head)
{
	return head & KYMO_EVENT_TICK_MAX;
}

#endif
