/* The facts at the head of a report: program, duration, overhead, losses. */
#ifndef KYMO_REPORT_FACTS_H
#define KYMO_REPORT_FACTS_H

struct report;

/* As a few lines of text for people. */
void report_write_facts(const struct report *report);

#endif
