/* Landing pads of exceptions. */
#ifndef KYMO_PATCHHANDLERS_H
#define KYMO_PATCHHANDLERS_H

#include <stdbool.h>
#include <stdint.h>

#include "patch/analyse/file/patchmodule.h"

/* Mark the landing pads of the function whose table is at address. */
void patchhandlers_mark(struct patch_module *module, uint64_t address, uint64_t start,
			uint64_t end);
/* True when an exception out of a call elsewhere may continue in [start, end), by the FDE's
 * table. */
bool patchhandlers_lead_into(const struct patch_module *module, const struct cfi_fde *fde,
			     uint64_t start, uint64_t end);
/* True when an exception out of the call that returns to pc leaves the FDE's function as if it had
 * no table. */
bool patchhandlers_pass(const struct patch_module *module, const struct cfi_fde *fde, uint64_t pc);

#endif
