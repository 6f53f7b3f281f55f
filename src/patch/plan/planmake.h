/* From an analysed file to a plan: trampolines, their unwind tables, and what is written. */
#ifndef KYMO_PLANMAKE_H
#define KYMO_PLANMAKE_H

#include "patch/analyse/file/patchmodule.h"

struct planmake_options {
	struct plan_kind kind;
	bool no_calls; /* use no call-through: functions it would take get PLAN_WAY_ENTRIES */
	/* Where the code shall lie in the file's address space, a page's address; 0 = where a
	 * program is likely to have room: half a GiB below a library or position independent
	 * program (addresses count modulo 2^64), above others out of the heap's way. */
	uint64_t code_address;
};

/* The plan's bytes, as they are kept in a file; the caller frees. */
enum kymo_status plan_make(struct patch_module *module, const struct planmake_options *options,
			   unsigned char **bytes_out, size_t *size_out, struct problem *problem);

/* The plan of the file at path, from the cache, or made and put there (by renaming, so that
 * nobody sees half of one).  plan_out points into *bytes_out, *size_out bytes that
 * plancache_release() gives back. */
enum kymo_status plancache_get(const char *path, struct plan_kind kind, struct plan *plan_out,
			       void **bytes_out, size_t *size_out, struct problem *problem);
void plancache_release(void *bytes, size_t size);

/* The cache has this very plan, in a file that only this user can have written.  False: whoever
 * needs it has to be handed it. */
bool plancache_has(const struct plan *plan);
/* Write bytes that the cache could not take into a descriptor of whoever asked for them. */
enum kymo_status plancache_hand(int fd, const void *bytes, size_t size, struct problem *problem);

#endif
