/* Functions' parameters and results by debug information, and their locations at the entry and the
 * end by the rules of x86-64 (System V).  One header, two implementations: with libdw
 * (debug_values_dw.c) and without (debug_values_none.c).  Not thread-safe. */
#ifndef KYMO_DEBUG_VALUES_H
#define KYMO_DEBUG_VALUES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "format/planvalues.h"

struct debug_value {
	char *name;  /* NULL = has none */
	char *words; /* VALUES_ENUM, else NULL */
	uint16_t place;
	uint8_t kind, size; /* kind 0: it cannot be shown */
};

struct debug_signature {
	uint64_t address; /* set by the caller */
	bool is_known;
	bool is_changed; /* its compiler uses a calling convention of its own */
	struct debug_value values[VALUES_EACH_MAX];
	uint16_t count;
	struct debug_value result;
};

/* Fill in signatures, which are sorted by address.  False: the file has no debug information. */
bool debug_values_find(const char *path, struct debug_signature *signatures, size_t count);
void debug_values_release(struct debug_signature *signatures, size_t count);

#endif
