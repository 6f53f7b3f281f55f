/* Sums that do not depend on the order of adding: wide whole numbers, which saturate instead of
 * overflowing.
 *
 * A file stores such a sum as the nearest double, for every reader, and the remainder. */
#ifndef KYMO_MERGE_EXACT_H
#define KYMO_MERGE_EXACT_H

#include <stdint.h>

typedef unsigned __int128 merge_natural;
typedef __int128 merge_whole;

/* The limit for which the remainder to the nearest double fits into 64 bits. */
#define MERGE_WHOLE_MAX ((merge_whole)1 << 115)

static inline uint64_t merge_add(uint64_t a, uint64_t b)
{
	uint64_t sum;

	return __builtin_add_overflow(a, b, &sum) ? UINT64_MAX : sum;
}

static inline merge_natural merge_add_natural(merge_natural a, merge_natural b)
{
	merge_natural sum;

	return __builtin_add_overflow(a, b, &sum) ? ~(merge_natural)0 : sum;
}

static inline merge_whole merge_clamp(merge_whole value)
{
	if (value > MERGE_WHOLE_MAX)
		return MERGE_WHOLE_MAX;
	return value < -MERGE_WHOLE_MAX ? -MERGE_WHOLE_MAX : value;
}

/* The nearest whole number; 0 for NAN, saturated. */
static inline merge_whole merge_whole_of(double value)
{
	if (!(value > -0x1p115))
		return value <= -0x1p115 ? -MERGE_WHOLE_MAX : 0;
	if (!(value < 0x1p115))
		return MERGE_WHOLE_MAX;
	return (merge_whole)(value < 0 ? value - 0.5 : value + 0.5);
}

static inline uint64_t merge_ns_of(double value)
{
	if (!(value > 0))
		return 0;
	return value >= 0x1p63 ? UINT64_C(1) << 63 : (uint64_t)(value + 0.5);
}

static inline int64_t merge_rest(merge_whole value)
{
	return (int64_t)(value - (merge_whole)(double)value);
}

#endif
