/* Stores a value in the target of an option. */
#ifndef KYMO_OPTION_TARGET_H
#define KYMO_OPTION_TARGET_H

#include "base/status.h"
#include "cli/options/option_row.h"

/* Store the value, which must live as long as the target; a flag needs none.  KYMO_USAGE: the value
 * is invalid, and the problem describes the valid ones. */
enum kymo_status option_target_set(const struct option_row *row, const char *value,
				   struct problem *problem);

#endif
