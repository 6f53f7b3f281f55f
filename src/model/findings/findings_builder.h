/* Findings under construction: the inputs of the modules that search for them, and functions to add
 * one.  Borrows the run, its regions and facts.  One thread. */
#ifndef KYMO_FINDINGS_BUILDER_H
#define KYMO_FINDINGS_BUILDER_H

#include "model/findings/finding.h"
#include "model/parts/parts.h"
#include "model/profile/flat_view.h"
#include "model/profile/loaded_run.h"
#include "model/profile/region_union.h"
#include "model/profile/run_facts.h"
#include "text/quantity.h"

struct findings_builder {
	const struct loaded_run *loaded;
	const struct region_union *regions;
	const struct run_facts *facts;
	struct flat_view *view;
	struct parts *parts;
	double whole_ns; /* all recorded time of all threads */
	struct finding *items;
	size_t count, capacity;
	bool has_failed; /* out of memory */
};

/* Add one; about.text is made from the format. */
void finding_add(struct findings_builder *builder, struct finding about, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* "`Class.method`", cut if it is long. */
#define FINDING_NAME_MAX 96
const char *finding_name(const struct findings_builder *builder, uint32_t region,
			 char text[FINDING_NAME_MAX]);

/* "83 %": whole percents, below 1 % with a decimal. */
const char *finding_percent(double part, double whole, char text[QUANTITY_MAX]);

/* Whether its time is work in code that somebody may change: no wait, no system library. */
bool finding_is_work(const struct region *region);

#endif
