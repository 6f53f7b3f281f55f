/* The head of a rewritten file's new segment: it identifies such a file to the collector and the
 * commands, and locates its plan.
 *
 * The segment is the last PT_LOAD of the file.  It holds, in this order: the head, the default
 * environment, the choice, the plan's tables, the sections that were moved to make space for the
 * program headers, the code, the vector, the switch, and the unwind tables of the whole file.
 * plan_read() reads the plan in place; its code is at its run-time address.  In the file the vector
 * is zero and the switch is off, so that the program runs as before; the collector maps pages over
 * vector and switch and changes no code.
 *
 * Context: any.  Nothing here allocates or calls functions. */
#ifndef KYMO_REWRITEHEAD_H
#define KYMO_REWRITEHEAD_H

#include <stdint.h>

#define REWRITE_MAGIC	"KYMOFILE"
#define REWRITE_VERSION 1u

struct rewrite_head {
	char magic[8];
	uint32_t version;
	uint32_t cost;	  /* enum patch_cost */
	uint64_t size;	  /* of the segment, as in its program header */
	uint64_t address; /* the segment's own, as linked: p_vaddr */
	/* All offsets are relative to the head. */
	uint64_t plan_offset, plan_size;
	uint64_t choice_offset, choice_count;	       /* enum choice_of: a byte per function */
	uint64_t environment_offset, environment_size; /* NAME=VALUE, each NUL-terminated */
	uint64_t original_size;			       /* of the file that was rewritten */
	uint64_t taken;				       /* functions whose writes are in place */
	uint64_t variant;			       /* PLAN_VARIANT_SERIALIZED or 0 */
	uint64_t reserved[2];
};
_Static_assert(sizeof(struct rewrite_head) == 120, "head of the segment");

#endif
