/* What the tests of counted functions share: simulated programs, whose calls are timed as the
 * collector does. */
#ifndef KYMO_COUNTED_FIXTURE_H
#define KYMO_COUNTED_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "collectors/functions/counts/funcpatch_interval.h"
#include "model/functions/counted_calls.h"
#include "model/functions/counted_flow.h"

static inline void add_time(struct kymo_timed_sums *sums, double weight, uint64_t ticks)
{
	double time = (double)ticks, spread = weight * (weight - 1);

	timed_sums_add(sums, &(struct kymo_timed_sums){
				     .ended = 1,
				     .ticks = ticks,
				     .squares = time * time,
				     .weights = weight,
				     .weighted_ticks = weight * time,
				     .spread = spread,
				     .spread_ticks = spread * time,
				     .spread_squares = spread * time * time,
			     });
}

#endif
