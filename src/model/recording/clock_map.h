/* The calibration pairs of a header, made fit for the conversions that recording.h
 * declares: ordered, apart from each other, never going back. */
#ifndef KYMO_CLOCK_MAP_H
#define KYMO_CLOCK_MAP_H

#include "model/recording/recording.h"

/* Leaves at least one pair.  Returns what is to be said about the clock, or NULL. */
const char *clock_map_prepare(struct kymo_header *header);

#endif
