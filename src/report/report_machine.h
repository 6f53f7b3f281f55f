/* The line in the head of a report with the use of machine and process. */
#ifndef KYMO_REPORT_MACHINE_H
#define KYMO_REPORT_MACHINE_H

#include <stdbool.h>
#include <stddef.h>

struct report;

/* A line about the machine and the process, if these were recorded over time; false: not. */
bool report_machine(const struct report *report, char *line_out, size_t size);

#endif
