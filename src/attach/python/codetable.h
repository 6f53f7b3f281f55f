/* The Python code objects of another process that were sampled: each gets a number, and its
 * attributes are read once.
 *
 * A new code object may reuse an address: cached attributes are compared with memory from time to
 * time.  One thread; uses malloc. */
#ifndef KYMO_CODETABLE_H
#define KYMO_CODETABLE_H

#include "base/hashset.h"
#include "pystack/pystack.h"

struct codetable_entry {
	uint64_t address;
	struct pycode_identity identity;
	uint64_t checked_ns; /* when it was last compared with memory */
	uint32_t latest;     /* in the first entry of an address: the current one */
	uint32_t first_line, flags, lines_size;
	char *name, *qualname, *file; /* "" = not known */
	unsigned char *lines;
	struct pycode_shape shape;
};

struct codetable {
	struct codetable_entry *entries; /* by id */
	size_t count, capacity;
	uint64_t bytes;	      /* memory of the entries */
	struct hashset index; /* address -> first entry + 1 */
};

void codetable_release(struct codetable *table);

/* Number of the code object at an address; false: unreadable, or no code object. */
bool codetable_find(struct codetable *table, const struct pyruntime *runtime,
		    const struct pymemory *memory, uint64_t address, uint64_t now_ns,
		    uint32_t *id_out);

/* The shape of the code object at an address that was recently compared. */
bool codetable_shape(const struct codetable *table, uint64_t address, uint64_t now_ns,
		     struct pycode_shape *out);

#endif
