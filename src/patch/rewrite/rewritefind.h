/* Detecting a rewritten file by its head, and its properties. */
#ifndef KYMO_REWRITEFIND_H
#define KYMO_REWRITEFIND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "patch/rewrite/rewrite.h"

/* Properties of a rewritten file. */
struct rewrite_found {
	uint32_t cost;	    /* enum patch_cost */
	bool is_serialized; /* PLAN_VARIANT_SERIALIZED */
	uint64_t taken;	    /* functions that are instrumented */
	char *environment;  /* NAME=VALUE, each NUL-terminated, then an empty one */
	size_t environment_size;
};

/* True when the file at path is a rewritten one; found_out (may be NULL) then belongs to the
 * caller, until rewrite_found_release().  False for any other file, and for unreadable ones. */
bool rewrite_find(const char *path, struct rewrite_found *found_out);
void rewrite_found_release(struct rewrite_found *found);

#endif
