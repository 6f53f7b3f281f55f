/* Unwind rules of all registers, written for code that was moved.  False: no memory, or a rule that
 * cannot be written.  One thread. */
#ifndef KYMO_CFI_EMIT_H
#define KYMO_CFI_EMIT_H

#include "patch/plan/frames/cfi_transcode.h"
#include "patch/plan/planblob.h"

/* Add to stretch what makes the one state of the other. */
bool cfi_emit(struct plan_stretch *stretch, const struct cfi_transcode_state *from,
	      const struct cfi_transcode_state *to);
bool cfi_emit_byte(struct plan_stretch *stretch, uint8_t byte);
bool cfi_emit_bytes(struct plan_stretch *stretch, const void *bytes, size_t size);

#endif
