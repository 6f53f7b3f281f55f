/* The flat report of samples, and confidence intervals of shares.  One thread. */
#ifndef KYMO_REPORT_SAMPLED_H
#define KYMO_REPORT_SAMPLED_H

#include "report/report.h"

struct report_interval { /* a confidence interval, with its text: "39.9-42.6" */
	struct sampled_share share;
	char text[32];
};
/* The interval of a part of the samples: both in the same unit. */
void report_interval(const struct report *report, double part, double whole,
		     struct report_interval *out);

/* report_flat() and report_threads() for a run that was loaded as samples. */
enum kymo_status report_sampled(const struct report *report, struct problem *problem);

#endif
