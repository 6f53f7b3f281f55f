/* Evaluates conditions: on which regions they hold, by how much, and whether it may be chance. */
#ifndef KYMO_DIFF_FINDINGS_H
#define KYMO_DIFF_FINDINGS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/status.h"

struct diff;
struct diff_condition;
struct diff_findings;

/* is_any: every condition that holds fails, also where it may be chance or that is not known.
 * KYMO_USAGE: a region that neither side has, with the nearest name; a metric that was not
 * recorded. */
enum kymo_status diff_findings_new(const struct diff *diff, const struct diff_condition *conditions,
				   size_t count, bool is_any, struct diff_findings **out,
				   struct problem *problem);
void diff_findings_free(struct diff_findings *findings);

#endif
