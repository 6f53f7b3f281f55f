/* What recording one visit of a region took, by what was calibrated in the process.
 *
 * A visit's cost has two parts: what lies between its two readings of the clock, which makes its
 * own time longer, and the rest, which makes its caller's longer. */
#ifndef KYMO_MEASURING_H
#define KYMO_MEASURING_H

#include "model/recording/recording.h"

struct measuring_cost { /* of one visit, nanoseconds; both 0 = not known */
	double inside, outside;
};

struct measuring { /* of one recording */
	const struct recording *recording;
	struct measuring_cost visit, c_call, function;
	/* Of functions: the whole cost of an empty one, and of one that works so long, which the
	 * processor does beside recording; work 0 = not known. */
	double empty, beside, work;
	bool is_python; /* visit is of Python functions, and of nothing else */
};

struct measuring measuring_of(const struct recording *recording);
/* Something is known of the recording. */
bool measuring_is_known(const struct measuring *measuring);
/* own_ns: what a visit seems to take without what it calls. */
struct measuring_cost measuring_cost_of(const struct measuring *measuring, uint32_t region,
					double own_ns);

#endif
