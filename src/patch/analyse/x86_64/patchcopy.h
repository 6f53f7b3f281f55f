/* Which functions can be done elsewhere as a whole.  Once entries and exits of all are decided; one
 * thread. */
#ifndef KYMO_PATCHCOPY_H
#define KYMO_PATCHCOPY_H

#include "patch/analyse/patchdecision.h"

/* function->copy of all. */
void patchcopy_find_all(struct patch_decision *decision);

#endif
