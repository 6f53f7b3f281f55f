/* Statistics of the points of each series of a recording.  The caller frees.  One thread. */
#ifndef KYMO_SERIES_STATS_H
#define KYMO_SERIES_STATS_H

#include "model/recording/recording.h"

struct series_stats { /* of recording->series[index]; without points all is zero */
	uint64_t count;
	double min, max, last;
	double mean; /* weighted by time: a value holds until the next one, the last to the end */
	double first;
};

/* One a series, in their order; NULL when out of memory. */
struct series_stats *series_stats_new(const struct recording *recording);

#endif
