/* All potential branch targets in the code of a file.  The sweep uses several threads, all else
 * one. */
#ifndef KYMO_PATCHTARGETS_H
#define KYMO_PATCHTARGETS_H

#include "base/status.h"

struct patch_module;

/* The second step of the analysis, after patchfunctions_find(): sweeps the code and fills in
 * module.targets, and the rest of module.sweep.  KYMO_OK, or KYMO_MEMORY or KYMO_FORMAT and one
 * line in problem. */
enum kymo_status patchtargets_scan(struct patch_module *module, struct problem *problem);

#endif
