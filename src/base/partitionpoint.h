/* Binary search: inlined, for items of any type, without a comparison function.
 *
 *     partition_point(count, i, items[i].start <= address)
 *
 * is the number of items 0 … count - 1 that satisfy the condition, in which i is an index
 * (size_t).  The items must be partitioned: those that satisfy it come first.  The last one that
 * does is before the point, the first that does not is at it.  count is evaluated once, the
 * condition as often as count has binary digits.  Context: any. */
#ifndef KYMO_PARTITIONPOINT_H
#define KYMO_PARTITIONPOINT_H

#include <stddef.h>

#define partition_point(count, index, condition) partition_point_within(0, count, index, condition)

/* The same if the point is known to be in [first, end]. */
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
