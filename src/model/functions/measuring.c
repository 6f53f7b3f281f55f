/* What recording one visit of a region took, from the header and the tables of functions.
 * Which of the two says so depends on who recorded it. */
#include "model/functions/measuring.h"

#include <stdlib.h>

#include "model/functions/functions.h"

#define COST_MAX_PS 1e9 /* of a visit; more is damage */

static struct measuring_cost cost_of(uint64_t all_ps, uint64_t inside_ps)
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

static void read_costs(const struct recording *recording, struct measuring *measuring)
{
	const char *text = recording_note(recording, KYMO_NOTE_INFO, KYMO_FUNCTION_COSTS_NOTE);
	double costs[3];
	char *end = (char *)text;

	for (int i = 0; i < 3; i++) {
		costs[i] = end ? strtod(end, &end) * 1e-3 : 0;
		if (!(costs[i] > 0 && costs[i] < COST_MAX_PS * 1e-3))
			return;
	}
	if (costs[1] > costs[0])
		return;
	measuring->empty = costs[0];
	measuring->beside = costs[1];
	measuring->work = costs[2];
}

/* The more a function does, the more of recording is done beside it. */
static struct measuring_cost function_cost(const struct measuring *measuring, double own_ns)
{
	const struct measuring_cost *middle = &measuring->function;
	double all = middle->inside + middle->outside, work, cost;

	if (measuring->work <= 0 || all <= 0)
		return *middle;
	work = own_ns - measuring->empty * middle->inside / all;
	cost = measuring->beside;
	if (work < measuring->work)
		cost += (measuring->empty - measuring->beside) *
			(work > 0 ? 1 - work / measuring->work : 1);
	return (struct measuring_cost){cost * middle->inside / all, cost * middle->outside / all};
}

struct measuring measuring_of(const struct recording *recording)
{
	const struct kymo_header *header = &recording->header;
	struct measuring measuring = {
		.recording = recording,
		.visit = cost_of(header->cost_enter_exit_ps, header->cost_enter_exit_inside_ps),
		.c_call = cost_of(header->cost_c_call_ps, header->cost_c_call_inside_ps),
		.function = recording->functions ? cost_of(recording->functions->cost_ps,
							   recording->functions->inside_ps)
						 : (struct measuring_cost){0, 0},
		.is_python = has_python(recording),
	};

	read_costs(recording, &measuring);
	return measuring;
}

bool measuring_is_known(const struct measuring *measuring)
{
	return measuring->visit.inside > 0 || measuring->c_call.inside > 0 ||
	       measuring->function.inside > 0;
}

struct measuring_cost measuring_cost_of(const struct measuring *measuring, uint32_t region,
					double own_ns)
{
	static const struct measuring_cost none;
	const struct recording *recording = measuring->recording;

	if (functions_has_region(recording->functions, region))
		return function_cost(measuring, own_ns);
	switch (recording->regions[region].kind) {
	case KYMO_REGION_ROOT:
	case KYMO_REGION_PROGRAM:
		return none;
	case KYMO_REGION_PYTHON:
		return measuring->visit;
	case KYMO_REGION_PYTHON_C:
	case KYMO_REGION_PYTHON_METHOD:
		return measuring->c_call;
	default:
		return measuring->is_python ? none : measuring->visit;
	}
}
