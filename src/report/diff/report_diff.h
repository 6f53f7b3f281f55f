/* The output of `kymo diff`, in the selected form.  Borrows all it points to. */
#ifndef KYMO_REPORT_DIFF_H
#define KYMO_REPORT_DIFF_H

#include "report/diff/report_diff_types.h"

enum kymo_status report_diff(const struct diff_report *report, struct problem *problem);

#endif
