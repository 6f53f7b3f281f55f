/* Fills rows; see rows.h. */
#ifndef KYMO_ROWS_WALK_H
#define KYMO_ROWS_WALK_H

#include "model/profile/rows.h"

/* Fill rows, metrics and has_open from the trees; false when out of memory. */
bool rows_walk(struct rows *rows);

#endif
