/* The cost of recording one visit of a region, as calibrated in the process.
 *
 * A visit's cost has two parts: what is between its two readings of the clock adds to its own time,
 * the rest to its caller's. */
#ifndef KYMO_MEASURING_H
#define KYMO_MEASURING_H

#include "model/recording/recording.h"

struct measuring_cost { /* of one visit, nanoseconds; both 0 = not known */
	double inside, outside;
};

/* Of one part of a function's call, nanoseconds: between adjacent records, and with work that the
 * processor does in parallel; interpolated by how much work there is. */
struct measuring_side {
	double empty, overlapped;
};

struct measuring { /* of one recording */
	const struct recording *recording;
	struct measuring_cost visit, resume, c_call;
	/* Of functions; all 0 = not known. */
	struct measuring_side inside, outside;
	double work; /* the amount of work from which on the cost is the one in parallel with work
		      */
	bool is_python; /* visit refers to Python functions only */
};

/* Picoseconds that a visit of a generator's region costs, and one of a region that is no
 * instrumented function; 0 = not known. */
uint64_t measuring_resume_ps(const struct kymo_header *header);
uint64_t measuring_visit_ps(const struct kymo_header *header, const struct region *region);
struct measuring measuring_of(const struct recording *recording);
/* Something is known of the recording. */
bool measuring_is_known(const struct measuring *measuring);
/* The region is a function whose call cost is calibrated. */
bool measuring_has_function(const struct measuring *measuring, uint32_t region);
/* Of any other region. */
struct measuring_cost measuring_cost_of(const struct measuring *measuring, uint32_t region);
/* Of one call: inside, of a function that was called visits times; outside, of a function that made
 * calls calls.  own_ns: measured time of all its visits without callees; other_ns: the part of it
 * that went into measuring other regions. */
struct measuring_cost measuring_between(const struct measuring *measuring, double own_ns,
					double visits, double calls);

#endif
