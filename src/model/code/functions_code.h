/* The code that records functions' calls: each address in it is attributed to the function that it
 * serves.  Not thread-safe. */
#ifndef KYMO_FUNCTIONS_CODE_H
#define KYMO_FUNCTIONS_CODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "format/format.h"

struct functions_owned { /* up to where the next one begins */
	uint64_t start;
	uint32_t id; /* UINT32_MAX: serves several functions */
	bool is_end; /* serves none */
};

struct functions_code { /* the caller's memory; zeros = empty */
	struct functions_owned *items;
	size_t count, capacity;
};

/* Add those of a table; owners: bytes bytes, which follow its ranges.  False: out of memory. */
bool functions_code_add(struct functions_code *code, const struct kymo_function_table *table,
			const unsigned char *owners, uint64_t bytes);
void functions_code_sort(struct functions_code *code);
/* True if the address is in such code; id_out as above. */
bool functions_code_at(const struct functions_code *code, uint64_t address, uint32_t *id_out);
void functions_code_release(struct functions_code *code);

#endif
