/* The trampolines of one function of AArch64: patch_processor.emit_function. */
#ifndef KYMO_PLANEMIT_AARCH64_H
#define KYMO_PLANEMIT_AARCH64_H

#include "patch/plan/planemit.h"

/* False: not possible; is_entry_out says whether the entry or the exits failed. */
bool armemit_function(struct plan_job *job, bool *is_entry_out);

#endif
