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

/* Of one part of a function's call, nanoseconds: between records with nothing between them, and
 * with work that the processor does beside recording; in between, by how much work there is. */
struct measuring_side {
	double empty, beside;
};

struct measuring { /* of one recording */
	const struct recording *recording;
	struct measuring_cost visit, resume, c_call;
	/* Of functions; all 0 = not known. */
	struct measuring_side inside, outside;
	double work;	/* at least so much of it is needed for the cost to be that beside work */
	bool is_python; /* visit is of Python functions, and of nothing else */
};

/* Picoseconds that a visit of a generator's region costs, and of one that is no instrumented
 * function; 0 = not known. */
uint64_t measuring_resume_ps(const struct kymo_header *header);
uint64_t measuring_visit_ps(const struct kymo_header *header, const struct region *region);
struct measuring measuring_of(const struct recording *recording);
/* Something is known of the recording. */
bool measuring_is_known(const struct measuring *measuring);
/* The region is a function, of whose calls something is known. */
bool measuring_has_function(const struct measuring *measuring, uint32_t region);
/* Of any other region. */
struct measuring_cost measuring_cost_of(const struct measuring *measuring, uint32_t region);
/* Of one call: inside, of a function that was called visits times; outside, of a function that it
 * called, which it did calls times.  own_ns: what all its visits seem to take without what they
 * call, of which other_ns are of measuring what is no function. */
struct measuring_cost measuring_between(const struct measuring *measuring, double own_ns,
					double visits, double calls);

#endif
