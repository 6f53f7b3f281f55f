/* What a rewritten file says of itself, read from its head. */
#ifndef KYMO_REWRITEFIND_H
#define KYMO_REWRITEFIND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "patch/rewrite/rewrite.h"

/* What a rewritten file says of itself. */
struct rewrite_found {
	uint32_t cost;	    /* enum patch_cost */
	bool is_serialized; /* PLAN_VARIANT_SERIALIZED */
	uint64_t taken;	    /* functions that are instrumented */
	char *environment;  /* NAME=VALUE, a NUL behind each, and one more */
	size_t environment_size;
};

/* True when the file at path is a rewritten one; found_out (may be NULL) then belongs to the
 * caller, until rewrite_found_release().  Whatever else it is, or cannot be read: false. */
bool rewrite_find(const char *path, struct rewrite_found *found_out);
void rewrite_found_release(struct rewrite_found *found);

#endif
