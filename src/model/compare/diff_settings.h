/* Whether both sides were measured in the same way. */
#ifndef KYMO_DIFF_SETTINGS_H
#define KYMO_DIFF_SETTINGS_H

#include "model/compare/diff.h"

/* The differences in what was measured and how, in a line; *out NULL = none.  The caller frees. */
enum kymo_status diff_settings_compare(const struct diff_runs side[DIFF_SIDES], char **out);

#endif
