/* The threads of sampled processes: what each did with its time. */
#ifndef KYMO_REPORT_SAMPLED_THREADS_H
#define KYMO_REPORT_SAMPLED_THREADS_H

#include "base/status.h"

struct report;

/* A view, as those of report/report.h. */
enum kymo_status report_sampled_threads(const struct report *report, struct problem *problem);

#endif
