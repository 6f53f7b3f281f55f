/* From an analysed file to a plan: trampolines, their unwind tables, and writes.
 *
 * Uses malloc; two threads for large files, which have ended on return. */
#ifndef KYMO_PLANMAKE_H
#define KYMO_PLANMAKE_H

#include "patch/analyse/file/patchmodule.h"
#include "patch/plan/planmake_options.h"

/* The plan's bytes, as they are stored in a file; the caller frees.  KYMO_OK, or one line in
 * problem: too many functions, too large a file, no memory. */
enum kymo_status plan_make(struct patch_module *module, const struct planmake_options *options,
			   unsigned char **bytes_out, size_t *size_out, struct problem *problem);

#endif
