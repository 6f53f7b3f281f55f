/* The output of `kymo report` and of the end of a run, in the selected form.
 *
 * A report borrows everything it points to.  One thread. */
#ifndef KYMO_REPORT_H
#define KYMO_REPORT_H

#include "config/settings.h"
#include "model/parts/parts.h"
#include "model/profile/flat_view.h"
#include "model/profile/rows.h"
#include "model/profile/run_facts.h"
#include "model/samples/sampled_kinds.h"
#include "report/report_options.h"
#include "report/tables/table_region.h"

struct report {
	const struct loaded_run *loaded;
	const struct run_facts *facts;
	const struct region_union *regions;
	const struct settings *settings;
	struct report_options options;
	double effective_count; /* of the samples shown */
	FILE *out;
};

/* The views: report_<function>() for every row of views.def. */
#define VIEW(option, function, help, takes, order, top, of_samples)                                \
	enum kymo_status report_##function(const struct report *report, struct problem *problem);
#define VIEW_OF_NAME(option, function, help, takes, order, top, of_samples)                        \
	enum kymo_status report_##function(const struct report *report, const char *name,          \
					   struct problem *problem);
#include "report/views/views.def"
#undef VIEW_OF_NAME
#undef VIEW

/* Under tables of call paths with estimated calls. */
#define REPORT_CALLS_REMARK                                                                        \
	"\n(calls with ~ are estimates: how often a function was called is exact, its callers "    \
	"are "                                                                                     \
	"known for timed calls only)"

#endif
