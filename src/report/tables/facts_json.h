/* Facts of a run as JSON, the same in reports and in metadata.json. */
#ifndef KYMO_FACTS_JSON_H
#define KYMO_FACTS_JSON_H

#include "model/profile/run_facts.h"
#include "text/json_writer.h"

/* The keys "measuring" (seconds, and percent of the run) and "losses" of the open object. */
void report_write_measuring(const struct run_facts *facts, struct json_writer *json);

#endif
