/* Findings about a run, one sentence each, computed from the recordings.
 *
 * docs/report.md lists the findings and their thresholds.  Owns its texts; borrows nothing.
 * Read-only once made. */
#ifndef KYMO_FINDINGS_H
#define KYMO_FINDINGS_H

#include "model/profile/loaded_run.h"
#include "model/findings/finding.h"
#include "model/profile/region_union.h"
#include "model/profile/run_facts.h"

#define FINDINGS_MAX 12

struct findings {
	struct finding *items; /* the largest cost first */
	size_t count;	       /* at most FINDINGS_MAX */
};

enum kymo_status findings_new(const struct loaded_run *loaded, const struct region_union *regions,
			      const struct run_facts *facts, struct findings **out,
			      struct problem *problem);
void findings_free(struct findings *findings);

#endif
