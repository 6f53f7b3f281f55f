/* Numbers over time: one row a series, and the line on the machine that a summary has. */
#ifndef KYMO_REPORT_SERIES_H
#define KYMO_REPORT_SERIES_H

#include <stdbool.h>
#include <stddef.h>

struct report;

/* A line on the machine and the process, where they were recorded over time; false: not. */
bool report_machine(const struct report *report, char *line_out, size_t size);

#endif
