/* The line on the machine and the process that the head of a report has. */
#ifndef KYMO_REPORT_MACHINE_H
#define KYMO_REPORT_MACHINE_H

#include <stdbool.h>
#include <stddef.h>

struct report;

/* A line on the machine and the process, where they were recorded over time; false: not. */
bool report_machine(const struct report *report, char *line_out, size_t size);

#endif
