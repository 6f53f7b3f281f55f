/* The unwind tables of a plan's code: .eh_frame and the .eh_frame_hdr that goes with it. */
#ifndef KYMO_PLANFRAMES_H
#define KYMO_PLANFRAMES_H

#include "base/status.h"
#include "patch/analyse/file/patchmodule.h"
#include "patch/plan/planblob.h"

struct plan_frames {
	struct plan_stretch frames; /* a multiple of 16 bytes; header follows directly */
	struct plan_stretch header;
};

/* address: of frames in memory.  The caller releases in any case. */
enum kymo_status planframes_make(const struct plan_blob *blob, const struct patch_module *module,
				 const struct plan_addresses *addresses, uint64_t address,
				 struct plan_frames *out, struct problem *problem);
void planframes_release(struct plan_frames *frames);

#endif
