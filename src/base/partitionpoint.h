/* Binary search, once for all: inlined, of items of any type, without a function to compare.
 *
 *     partition_point(count, i, items[i].start <= address)
 *
 * is how many of the items 0 … count - 1 meet the condition, in which i is an index: a size_t.
 * Those that do come first: the items are sorted by what is asked.  The last one that does is in
 * front of the point, the first that does not is at it.  count is evaluated once, the condition
 * as often as count has binary digits.  Context: any. */
#ifndef KYMO_PARTITIONPOINT_H
#define KYMO_PARTITIONPOINT_H

#include <stddef.h>

#define partition_point(count, index, condition) partition_point_within(0, count, index, condition)

/* The same where the point is known to be from first to end. */
#define partition_point_within(first, end, index, condition)                                       \
	({                                                                                         \
		size_t point_low = (first), point_high = (end);                                    \
                                                                                                   \
		while (point_low < point_high) {                                                   \
			const size_t index = point_low + (point_high - point_low) / 2;             \
                                                                                                   \
			if (condition)                                                             \
				point_low = index + 1;                                             \
			else                                                                       \
				point_high = index;                                                \
		}                                                                                  \
		point_low;                                                                         \
	})

#endif
