/* The facts of a report for programs. */
#ifndef KYMO_REPORT_FACTS_JSON_H
#define KYMO_REPORT_FACTS_JSON_H

#include "text/json_writer.h"

struct report;

/* As members of the open object. */
void report_write_facts_json(const struct report *report, struct json_writer *json);

#endif
