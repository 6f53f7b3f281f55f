/* What recording one visit of a region took, from the header and the tables of functions.
 * Which of the two says so depends on who recorded it. */
#include "model/functions/measuring.h"

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

struct measuring measuring_of(const struct recording *recording)
{
	const struct kymo_header *header = &recording->header;

	return (struct measuring){
		.recording = recording,
		.visit = cost_of(header->cost_enter_exit_ps, header->cost_enter_exit_inside_ps),
		.c_call = cost_of(header->cost_c_call_ps, header->cost_c_call_inside_ps),
		.is_python = has_python(recording),
	};
}

bool measuring_is_known(const struct measuring *measuring)
{
	return measuring->visit.inside > 0 || measuring->c_call.inside > 0 ||
	       measuring->function.inside > 0;
}

struct measuring_cost measuring_cost_of(const struct measuring *measuring, uint32_t region)
{
	static const struct measuring_cost none;
	const struct recording *recording = measuring->recording;

	if (functions_has_region(recording->functions, region))
		return measuring->function;
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
