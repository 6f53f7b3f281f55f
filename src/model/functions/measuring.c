/* The cost of recording one visit of a region, from the header or the tables of functions,
 * depending on the collector. */
#include "model/functions/measuring.h"

#include <math.h>
#include <stdlib.h>

#include "model/functions/functions.h"
#include "model/recording/recording_open.h"

#define COST_MAX_PS  1e9 /* of a visit; more is damage */
/* Work that lasts twice as long as the cost that it hides hides all of it: with less, the time
 * between two records would hardly grow with work, and errors would grow instead. */
#define STEEPEST     2
#define NEWTON_STEPS 4 /* breakpoints, and the straight segments between them */

static struct measuring_cost functions_measuring_cost_of(uint64_t all_ps, uint64_t inside_ps)
{
	if (inside_ps == 0 || inside_ps > all_ps || (double)all_ps > COST_MAX_PS)
		return (struct measuring_cost){0, 0};
	return (struct measuring_cost){(double)inside_ps * 1e-3,
				       (double)(all_ps - inside_ps) * 1e-3};
}

static bool has_python(const struct recording *recording)
{
	for (uint32_t i = 0; i < recording->region_count; i++)
		if (recording->regions[i].kind == KYMO_REGION_PYTHON)
			return true;
	return false;
}

/* How many numbers the note has; 0 = one of them is invalid. */
static int measuring_read_numbers(const char *text, double costs[4])
{
	char *end = (char *)text;
	int count = 0;

	for (const char *at = text; at && count < 4; at = end, count++) {
		costs[count] = strtod(at, &end) * 1e-3;
		if (end == at)
			break;
		if (!(costs[count] >= 0 && costs[count] < COST_MAX_PS * 1e-3))
			return 0;
	}
	return count;
}

/* Earlier versions record both parts together; they are divided in the proportion of the middle,
 * and so is the work at which the cost is hidden. */
static bool split_costs(const struct measuring_cost *middle, double costs[4], double *work)
{
	double share = middle->inside / (middle->inside + middle->outside);
	double empty = costs[0], overlapped = costs[1];

	*work = costs[2];
	costs[0] = empty * share;
	costs[1] = empty - costs[0];
	costs[2] = overlapped * share;
	costs[3] = overlapped - costs[2];
	return empty > 0 && *work > 0;
}

static struct measuring_side measuring_side_of(double empty, double overlapped)
{
	return (struct measuring_side){empty, overlapped < empty ? overlapped : empty};
}

static void measuring_read_costs(const struct recording *recording, struct measuring *measuring)
{
	const char *text = recording_note(recording, KYMO_NOTE_INFO, KYMO_FUNCTION_COSTS_NOTE);
	struct measuring_cost middle = functions_measuring_cost_of(recording->functions->cost_ps,
								   recording->functions->inside_ps);
	double costs[4];
	int count;

	if (middle.inside <= 0)
		return;
	count = measuring_read_numbers(text, costs);
	if (count == 4 || (count == 3 && split_costs(&middle, costs, &measuring->work))) {
		measuring->inside = measuring_side_of(costs[0], costs[2]);
		measuring->outside = measuring_side_of(costs[1], costs[3]);
	} else {
		measuring->inside = measuring_side_of(middle.inside, middle.inside);
		measuring->outside = measuring_side_of(middle.outside, middle.outside);
	}
}

static double reach_of(const struct measuring *measuring, const struct measuring_side *side)
{
	return fmax(measuring->work, STEEPEST * (side->empty - side->overlapped));
}

static double cost_with(const struct measuring *measuring, const struct measuring_side *side,
			double work)
{
	double reach = reach_of(measuring, side), rest = reach > 0 ? 1 - work / reach : 0;

	return side->overlapped + (side->empty - side->overlapped) * fmin(fmax(rest, 0), 1);
}

/* How much the cost decreases with more work. */
static double slope_with(const struct measuring *measuring, const struct measuring_side *side,
			 double work)
{
	double reach = reach_of(measuring, side);

	return work < reach ? (side->empty - side->overlapped) / reach : 0;
}

/* Inverts the measured time between two records, which is the work done plus the recording cost,
 * which decreases with work.  The function increases with the work, and the slope does too:
 * Newton's steps converge from above, past one breakpoint after the other. */
struct measuring_cost measuring_between(const struct measuring *measuring, double own_ns,
					double visits, double calls)
{
	const struct measuring_side *inside = &measuring->inside, *outside = &measuring->outside;
	double gaps = visits + calls, work;

	if (gaps <= 0)
		return (struct measuring_cost){0, 0};
	work = own_ns / gaps;
	for (int step = 0; step < NEWTON_STEPS && work > 0; step++) {
		double whole = gaps * work + visits * cost_with(measuring, inside, work) +
			       calls * cost_with(measuring, outside, work);
		double slope = gaps - visits * slope_with(measuring, inside, work) -
			       calls * slope_with(measuring, outside, work);

		work -= (whole - own_ns) / slope;
	}
	work = fmax(work, 0);
	return (struct measuring_cost){cost_with(measuring, inside, work),
				       cost_with(measuring, outside, work)};
}

/* A visit of a generator resumes it, which may cost less than a call. */
static bool is_resume(const struct region *region)
{
	return region->kind == KYMO_REGION_PYTHON && region->flags & KYMO_REGION_GENERATOR;
}

uint64_t measuring_resume_ps(const struct kymo_header *header)
{
	return header->cost_resume_ps > 0 ? header->cost_resume_ps : header->cost_enter_exit_ps;
}

uint64_t measuring_visit_ps(const struct kymo_header *header, const struct region *region)
{
	if (region->kind == KYMO_REGION_PYTHON_C || region->kind == KYMO_REGION_PYTHON_METHOD)
		return header->cost_c_call_ps;
	return is_resume(region) ? measuring_resume_ps(header) : header->cost_enter_exit_ps;
}

struct measuring measuring_of(const struct recording *recording)
{
	const struct kymo_header *header = &recording->header;
	struct measuring measuring = {
		.recording = recording,
		.visit = functions_measuring_cost_of(header->cost_enter_exit_ps,
						     header->cost_enter_exit_inside_ps),
		.resume = functions_measuring_cost_of(header->cost_resume_ps,
						      header->cost_resume_inside_ps),
		.c_call = functions_measuring_cost_of(header->cost_c_call_ps,
						      header->cost_c_call_inside_ps),
		.is_python = has_python(recording),
	};

	if (measuring.resume.inside <= 0)
		measuring.resume = measuring.visit;
	if (recording->functions)
		measuring_read_costs(recording, &measuring);
	return measuring;
}

static bool has_costs(const struct measuring *measuring)
{
	return measuring->inside.empty + measuring->outside.empty > 0;
}

bool measuring_is_known(const struct measuring *measuring)
{
	return measuring->visit.inside > 0 || measuring->c_call.inside > 0 || has_costs(measuring);
}

bool measuring_has_function(const struct measuring *measuring, uint32_t region)
{
	return has_costs(measuring) &&
	       functions_has_region(measuring->recording->functions, region);
}

struct measuring_cost measuring_cost_of(const struct measuring *measuring, uint32_t region)
{
	static const struct measuring_cost none;
	const struct recording *recording = measuring->recording;
	const struct region *visited = &recording->regions[region];

	if (functions_has_region(recording->functions, region))
		return none;
	switch (visited->kind) {
	case KYMO_REGION_ROOT:
	case KYMO_REGION_PROGRAM:
		return none;
	case KYMO_REGION_PYTHON:
		return is_resume(visited) ? measuring->resume : measuring->visit;
	case KYMO_REGION_PYTHON_C:
	case KYMO_REGION_PYTHON_METHOD:
		return measuring->c_call;
	default:
		return measuring->is_python ? none : measuring->visit;
	}
}
