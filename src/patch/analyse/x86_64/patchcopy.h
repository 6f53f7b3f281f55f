/* Which functions can be copied as a whole.  After all entries and exits are decided; one
 * thread. */
#ifndef KYMO_PATCHCOPY_H
#define KYMO_PATCHCOPY_H

#include "patch/analyse/patchdecision.h"

/* Set function->copy of all. */
void patchcopy_find_all(struct patch_decision *decision);

#endif
