/* Excludes the overhead of measuring from the times of a call-path tree. */
#ifndef KYMO_CALLTREE_MEASURING_H
#define KYMO_CALLTREE_MEASURING_H

#include "base/status.h"

struct calltree;

/* Call it when self times are known; uses the recording's calibration. KYMO_OK or KYMO_MEMORY. */
enum kymo_status calltree_take_measuring_out(struct calltree *tree);

#endif
