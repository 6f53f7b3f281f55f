/* The code that records functions' calls: an address in it is one of the function that it is
 * for.  Not thread-safe. */
#ifndef KYMO_FUNCTIONS_CODE_H
#define KYMO_FUNCTIONS_CODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "format/format.h"

struct functions_owned { /* up to where the next one begins */
	uint64_t start;
	uint32_t id; /* UINT32_MAX: it is for several */
	bool is_end; /* it is for none */
};

struct functions_code { /* the caller's memory; zeros = there is none */
	struct functions_owned *items;
	size_t count, capacity;
};

/* Of a table; bytes of owners are behind its ranges.  False: out of memory. */
bool functions_code_add(struct functions_code *code, const struct kymo_function_table *table,
			const unsigned char *owners, uint64_t bytes);
void functions_code_sort(struct functions_code *code);
/* True when an address is in such code; id_out as above. */
bool functions_code_at(const struct functions_code *code, uint64_t address, uint32_t *id_out);
void functions_code_release(struct functions_code *code);

#endif
