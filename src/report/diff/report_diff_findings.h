/* The findings of a comparison, for people. */
#ifndef KYMO_REPORT_DIFF_FINDINGS_H
#define KYMO_REPORT_DIFF_FINDINGS_H

#include <stdio.h>

#include "report/diff/report_diff_types.h"

/* The findings alone, a line a condition. */
void report_diff_findings(const struct diff_report *report, FILE *out);

#endif
