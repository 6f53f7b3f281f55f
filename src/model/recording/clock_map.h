/* Prepares the calibration pairs of a header for the conversions that recording.h declares:
 * ordered, distinct, never decreasing. */
#ifndef KYMO_CLOCK_MAP_H
#define KYMO_CLOCK_MAP_H

#include "model/recording/recording.h"

/* Leaves at least one pair.  Returns a warning about the clock, or NULL. */
const char *clock_map_prepare(struct kymo_header *header);

#endif
