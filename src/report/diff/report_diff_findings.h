/* The findings of a comparison, as text for people. */
#ifndef KYMO_REPORT_DIFF_FINDINGS_H
#define KYMO_REPORT_DIFF_FINDINGS_H

#include <stdio.h>

#include "report/diff/report_diff_types.h"

/* Only the findings, one line per condition. */
void report_diff_findings(const struct diff_report *report, FILE *out);

#endif
