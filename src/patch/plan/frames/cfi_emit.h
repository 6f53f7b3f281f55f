/* Emitting unwind rules of all registers for relocated code.  False: no memory, or a rule that
 * cannot be encoded.  One thread. */
#ifndef KYMO_CFI_EMIT_H
#define KYMO_CFI_EMIT_H

#include "patch/plan/frames/cfi_transcode.h"
#include "patch/plan/planblob.h"

/* Append to stretch the instructions that change one state into the other. */
bool cfi_emit(struct plan_stretch *stretch, const struct cfi_transcode_state *from,
	      const struct cfi_transcode_state *to);
bool cfi_emit_byte(struct plan_stretch *stretch, uint8_t byte);
bool cfi_emit_bytes(struct plan_stretch *stretch, const void *bytes, size_t size);

#endif
