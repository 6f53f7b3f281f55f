/* A comparison as JSON. */
#ifndef KYMO_REPORT_DIFF_JSON_H
#define KYMO_REPORT_DIFF_JSON_H

#include "report/diff/report_diff_types.h"

void report_diff_json(const struct diff_report *report, const struct diff_view *view);

#endif
