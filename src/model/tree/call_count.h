/* A number of calls that may be an estimate, with its bounds.  Pure arithmetic; any thread. */
#ifndef KYMO_CALL_COUNT_H
#define KYMO_CALL_COUNT_H

#include <stdbool.h>
#include <stdint.h>

struct call_count {
	uint64_t count;
	bool is_estimated;
	uint64_t low, high; /* 95 %; equal to count if that is exact */
};

static inline void call_count_add(struct call_count *sum, const struct call_count *more)
{
	sum->count += more->count;
	sum->is_estimated |= more->is_estimated;
	sum->low += more->low;
	sum->high += more->high;
}

/* For a node or an edge: their fields have the same names. */
#define call_count_of(from)                                                                        \
	((struct call_count){(from)->count, (from)->is_count_estimated,                            \
			     (from)->is_count_estimated ? (from)->count_low : (from)->count,       \
			     (from)->is_count_estimated ? (from)->count_high : (from)->count})

#endif
