/* One record of a SAMPLES chunk, written and read: docs/format.md, section 11.
 *
 * All of it is inline and needs only a buffer, so that a signal handler can write with it.
 * Reading trusts nothing.  Context: any. */
#ifndef KYMO_SAMPLE_ENCODE_H
#define KYMO_SAMPLE_ENCODE_H

#include <stdbool.h>
#include <stddef.h>

#include "format/format.h"

#define SAMPLE_RECORD_MAX 41u /* bytes: a head and four numbers of ten at most */

struct sample_record {
	enum kymo_sample_kind kind;
	enum kymo_gil_state gil;
	uint32_t stack; /* not of BEGIN and LOST */
	bool has_cpu, has_value;
	uint64_t ticks;	 /* read: as written, less than 1024 earlier */
	uint64_t cpu_ns; /* since the previous one of its kind: whole units, see sample_cpu_since()
			  */
	uint64_t value;
};

static inline bool sample_has_stack(enum kymo_sample_kind kind)
{
	return kind != KYMO_SAMPLE_BEGIN && kind != KYMO_SAMPLE_LOST;
}

/* The value of a record's cpu_ns for a reading of the thread's CPU clock.  *last_ns is the
 * writer's, for each kind; it is set to the reading at BEGIN and advanced here by what the
 * record can represent, so that nothing is lost by rounding. */
static inline uint64_t sample_cpu_since(uint64_t *last_ns, uint64_t now_ns)
{
	uint64_t since = now_ns > *last_ns ? now_ns - *last_ns : 0;

	since = since >> KYMO_SAMPLE_UNIT_BITS << KYMO_SAMPLE_UNIT_BITS;
	*last_ns += since;
	return since;
}

static inline unsigned char *sample_put_number(unsigned char *to, uint64_t number)
{
	while (number >= 0x80) {
		*to++ = (unsigned char)(number | 0x80);
		number >>= 7;
	}
	*to++ = (unsigned char)number;
	return to;
}

/* Write a record of SAMPLE_RECORD_MAX bytes at most; returns their number.  *ticks is the time
 * of the previous record in the chunk, at first chunk.base, and is advanced; an earlier time
 * counts as the same. */
static inline size_t sample_encode(unsigned char *to, uint64_t *ticks,
				   const struct sample_record *record)
{
	uint64_t units =
		record->ticks > *ticks ? (record->ticks - *ticks) >> KYMO_SAMPLE_UNIT_BITS : 0;
	unsigned char *next = to;

	*ticks += units << KYMO_SAMPLE_UNIT_BITS;
	*next++ = (unsigned char)((unsigned)record->kind |
				  (record->has_cpu ? KYMO_SAMPLE_HAS_CPU : 0) |
				  (unsigned)record->gil << KYMO_SAMPLE_GIL_SHIFT |
				  (record->has_value ? KYMO_SAMPLE_HAS_VALUE : 0));
	next = sample_put_number(next, units);
	if (sample_has_stack(record->kind))
		next = sample_put_number(next, record->stack);
	if (record->has_cpu)
		next = sample_put_number(next, record->cpu_ns >> KYMO_SAMPLE_UNIT_BITS);
	if (record->has_value)
		next = sample_put_number(next, record->value);
	return (size_t)(next - to);
}

/* Read a number from *at; false, with nothing changed, if it does not end before end or is wider
 * than 64 bits. */
static inline bool sample_take_number(const unsigned char **at, const unsigned char *end,
				      uint64_t *out)
{
	const unsigned char *next = *at;
	uint64_t number = 0;

	for (unsigned shift = 0; next < end && shift < 64; shift += 7, next++) {
		uint64_t bits = *next & 0x7f;

		if (bits << shift >> shift != bits)
			return false;
		number |= bits << shift;
		if (*next < 0x80) {
			*at = next + 1;
			*out = number;
			return true;
		}
	}
	return false;
}

/* As sample_take_number(), in units of 1024; false if the product is too wide. */
static inline bool sample_take_units(const unsigned char **at, const unsigned char *end,
				     uint64_t *out)
{
	return sample_take_number(at, end, out) &&
	       !__builtin_mul_overflow(*out, UINT64_C(1) << KYMO_SAMPLE_UNIT_BITS, out);
}

/* Read a record from *at and advance it; *ticks as above.  False: there is no record, which is
 * an error if *at is before end; nothing after it can be read then. */
static inline bool sample_decode(const unsigned char **at, const unsigned char *end,
				 uint64_t *ticks, struct sample_record *out)
{
	const unsigned char *next = *at;
	uint64_t since, stack = 0, time;
	unsigned head;

	if (next >= end)
		return false;
	head = *next++;
	*out = (struct sample_record){
		.kind = (enum kymo_sample_kind)(head & 7u),
		.gil = (enum kymo_gil_state)(head >> KYMO_SAMPLE_GIL_SHIFT & 3u),
		.has_cpu = (head & KYMO_SAMPLE_HAS_CPU) != 0,
		.has_value = (head & KYMO_SAMPLE_HAS_VALUE) != 0,
	};
	if (!sample_take_units(&next, end, &since) ||
	    __builtin_add_overflow(*ticks, since, &time) ||
	    (sample_has_stack(out->kind) &&
	     (!sample_take_number(&next, end, &stack) || stack > UINT32_MAX)) ||
	    (out->has_cpu && !sample_take_units(&next, end, &out->cpu_ns)) ||
	    (out->has_value && !sample_take_number(&next, end, &out->value)))
		return false;
	out->stack = (uint32_t)stack;
	out->ticks = *ticks = time;
	*at = next;
	return true;
}

#endif
