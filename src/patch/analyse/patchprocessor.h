/* The processor-specific part of analysing a file and making its plan: one table of functions per
 * processor, found by the file's machine.  docs/patch.md, "Another processor".
 *
 * One thread, unless said otherwise. */
#ifndef KYMO_PATCHPROCESSOR_H
#define KYMO_PATCHPROCESSOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

struct cfi_fde;
struct patch_module;
struct plan_blob;
struct plan_job;
struct plan_jump;
struct plan_link;
struct plan_mark;
struct plan_stretch;

struct patch_processor {
	uint16_t machine; /* EM_* */

	/* Analysis: patchsweep.h, patchmodule.h. */

	/* One pass over all functions: events, notes, what is named and what is data. */
	enum kymo_status (*sweep)(struct patch_module *module, struct problem *problem);
	/* Mark every place that any bytes of [start, end) could be a branch to. */
	void (*superset)(struct patch_module *module, uint64_t start, uint64_t end);
	/* The FDE's first instruction finds the stack and the return address as a call leaves
	 * them; has_rule_out: its description says anything. */
	bool (*is_entry)(const struct patch_module *module, const struct cfi_fde *fde,
			 bool *has_rule_out);
	/* How each function is recorded: its entry, its exits, its way. */
	enum kymo_status (*decide)(struct patch_module *module, struct problem *problem);
	/* The name of what a stub of the loader leads to; "" = it is none. */
	const char *(*stub)(const struct patch_module *module, uint64_t address);
	/* Types of relocations that put the address of a symbol into a word. */
	uint32_t relocations[3];

	/* The plan: planemit.h. */

	void (*emit_shared)(struct plan_blob *blob);
	bool (*emit_function)(struct plan_job *job, bool *is_entry_out);
	/* Fill in a distance at a place of the code, which will lie at address.  False: out of
	 * reach. */
	bool (*link)(const struct plan_link *link, uint8_t *place, uint64_t address,
		     uint64_t target);
	/* Its own frame descriptions: what their common entry holds behind its number, and the
	 * instructions for marks, of which the first is at first.  NULL = planframes.c's. */
	const uint8_t *frames_common;
	const size_t *frames_common_size;
	bool (*say_frames)(struct plan_stretch *frames, const struct plan_mark *marks, size_t count,
			   uint32_t first);
	/* The jump that is written at an address: jump_bytes of them.  False: out of reach. */
	bool (*jump)(uint64_t at, uint64_t target, uint8_t *bytes);
	uint8_t jump_bytes;
	uint8_t jump_distance_at; /* where in it the distance begins that changes when code moves;
				   * plan_write.distance_at */
	bool has_calls;	 /* bodies can be called: exported functions without changing them */
	bool has_loops;	 /* they can be found: patchloops.h */
	bool has_copies; /* functions can be copied: planthrottle.h */
	/* Where the code is made for: so far below a file that can lie anywhere, and above (or,
	 * with 0, right below) one that cannot. */
	uint64_t library_gap, program_gap;
};

extern const struct patch_processor patchprocessor_x86_64, patchprocessor_aarch64;

/* NULL = files for it are not analysed. */
const struct patch_processor *patchprocessor_of(uint16_t machine);

#endif
