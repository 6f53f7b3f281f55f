/* Arguments and return values to record: of which functions, and their locations.  The result is
 * what the collector reads (format/planvalues.h).  Context: init. */
#ifndef KYMO_FUNCTION_VALUES_H
#define KYMO_FUNCTION_VALUES_H

#include <stddef.h>

#include "base/status.h"
#include "cli/instrument/function_rules.h"

struct function_value_list {
	unsigned char *bytes; /* NULL = none */
	size_t size;
	char *missing; /* a line that names functions without debug information; NULL = none */
};

struct function_wish { /* of one recorded function */
	uint32_t index;
	unsigned wants; /* FUNCTION_WANTS_* */
	char *name;
	uint64_t address;
	bool is_possible; /* not one that the compiler derived from another, or calls hooks from */
};

/* Of the functions of the file at path, by address. */
enum kymo_status function_values_make(const char *path, const struct function_wish *wishes,
				      size_t count, struct function_value_list *out,
				      struct problem *problem);
void function_values_release(struct function_value_list *list);

#endif
