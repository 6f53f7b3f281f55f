/* What a value makes of the target of an option. */
#ifndef KYMO_OPTION_TARGET_H
#define KYMO_OPTION_TARGET_H

#include "base/status.h"
#include "cli/options/option_row.h"

/* Store the value, which is to live as long as the target; a flag needs none.  KYMO_USAGE: it is
 * none of the row's kind, and the problem says what is. */
enum kymo_status option_target_set(const struct option_row *row, const char *value,
				   struct problem *problem);

#endif
