/* The flat report of samples, and how sure a share of samples is.  One thread. */
#ifndef KYMO_REPORT_SAMPLED_H
#define KYMO_REPORT_SAMPLED_H

#include "report/report.h"

struct report_interval { /* how sure an estimate is, with its text: "39.9-42.6" */
	struct sampled_share share;
	char text[32];
};
/* That of a part of the samples: both in the same unit. */
void report_interval(const struct report *report, double part, double whole,
		     struct report_interval *out);

/* What report_flat() and report_threads() show of a run that was loaded as samples. */
enum kymo_status report_sampled(const struct report *report, struct problem *problem);

#endif
