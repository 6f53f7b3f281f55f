/* What stands out in a run, a sentence each, computed from what was recorded.
 *
 * Which findings there are, and from where on each is told, is in docs/report.md.  Owns its
 * texts; borrows nothing.  Read-only once made. */
#ifndef KYMO_FINDINGS_H
#define KYMO_FINDINGS_H

#include "model/profile/loaded_run.h"
#include "model/profile/region_union.h"
#include "model/profile/run_facts.h"

#define FINDINGS_MAX	  12
#define FINDING_NO_REGION UINT32_MAX

struct finding {
	char *text;	  /* valid UTF-8 on one line, ends in a full stop; names in `backticks` */
	const char *kind; /* "own lines", "idle ranks", ...: as docs/report.md has them */
	const char *view; /* what shows it: the option of `kymo report` without its dashes */
	uint32_t region;  /* number in the union, or FINDING_NO_REGION */
	double cost_s;	  /* seconds that it is about, which order them */
};

struct findings {
	struct finding *items; /* the largest cost first */
	size_t count;	       /* at most FINDINGS_MAX */
};

enum kymo_status findings_new(const struct loaded_run *loaded, const struct region_union *regions,
			      const struct run_facts *facts, struct findings **out,
			      struct problem *problem);
void findings_free(struct findings *findings);

#endif
