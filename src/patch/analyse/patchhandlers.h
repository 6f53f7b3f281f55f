/* Landing pads: where exceptions continue. */
#ifndef KYMO_PATCHHANDLERS_H
#define KYMO_PATCHHANDLERS_H

#include <stdbool.h>
#include <stdint.h>

#include "patch/analyse/file/patchmodule.h"

/* Mark landing pads: where exceptions go on in the function whose table is at address. */
void patchhandlers_mark(struct patch_module *module, uint64_t address, uint64_t start,
			uint64_t end);
/* True when an exception out of a call elsewhere may go on in [start, end), by the FDE's table. */
bool patchhandlers_lead_into(const struct patch_module *module, const struct cfi_fde *fde,
			     uint64_t start, uint64_t end);
/* True when an exception out of the call that returns to pc leaves the FDE's function as if
 * that had no table. */
bool patchhandlers_pass(const struct patch_module *module, const struct cfi_fde *fde, uint64_t pc);

#endif
