/* Frame descriptions of AArch64's trampolines.  One thread. */
#ifndef KYMO_PLANFRAMES_AARCH64_H
#define KYMO_PLANFRAMES_AARCH64_H

#include "patch/plan/planblob.h"

extern const uint8_t armframes_common[];
extern const size_t armframes_common_size;
/* Write the instructions of a frame description for marks, the first of which is at first. */
bool armframes_emit(struct plan_stretch *frames, const struct plan_mark *marks, size_t count,
		    uint32_t first);

#endif
