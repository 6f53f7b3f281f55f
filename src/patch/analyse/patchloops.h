/* Loops of functions: their code ranges, and their edges, which a plan may redirect to trampolines.
 *
 * A loop is a range of code, from the lowest target of a backward jump to the highest backward
 * jump, outermost loops only.  It is recorded only if every edge into it and out of it is known and
 * a jump fits there: certainty takes precedence over coverage.
 *
 * After patchdecide(); one thread; memory belongs to the caller. */
#ifndef KYMO_PATCHLOOPS_H
#define KYMO_PATCHLOOPS_H

#include "patch/analyse/file/patchmodule.h"

enum patch_step { PATCH_STEP_NONE, PATCH_STEP_ENTER, PATCH_STEP_LEAVE };

/* How to compute the canonical frame address at an address. */
struct patch_frame_at {
	int32_t offset;
	bool is_from_frame; /* from rbp, else from rsp */
};

/* A place where a loop is entered or left.  The bytes [at, at + displaced) are whole instructions,
 * at least 5 bytes; the last instruction is at instruction. */
struct patch_edge {
	uint64_t at, instruction;
	uint8_t displaced;
	uint8_t taken; /* enum patch_step: when the last one jumps … */
	uint8_t falls; /* … and when it falls through */
	struct patch_frame_at taken_frame, falls_frame; /* at the places of these steps */
};

struct patch_loop {
	uint64_t start, end; /* of its code */
	uint32_t function;
	uint32_t instructions;
	uint32_t first_edge, edge_count; /* count 0: it is not patched, reason says why */
	uint8_t reason;			 /* enum plan_reason */
};

struct patch_loops {
	struct patch_loop *loops; /* by function, then address */
	size_t count, capacity;
	struct patch_edge *edges;
	size_t edge_count, edge_capacity;
};

/* The loops of all functions whose ends are observed.  No byte is displaced by two edges. KYMO_OK
 * or KYMO_MEMORY; release out in both cases. */
enum kymo_status patchloops_find(struct patch_module *module, struct patch_loops *out,
				 struct problem *problem);
void patchloops_release(struct patch_loops *loops);

#endif
