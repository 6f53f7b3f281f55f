/* The analysis of a file: all of its steps in order.  It uses threads of its own and ends them. */
#ifndef KYMO_PATCHANALYSE_H
#define KYMO_PATCHANALYSE_H

#include "base/status.h"

struct patch_module;

/* Of an opened module: its functions, all potential branch targets, and how each function is
 * recorded.  KYMO_OK, or KYMO_MEMORY or KYMO_FORMAT (the file is damaged) and one line in
 * problem. */
enum kymo_status patchanalyse(struct patch_module *module, struct problem *problem);

#endif
