/* The processor-specific part of analysing a file and making its plan: one table of functions per
 * processor, selected by the file's machine.  docs/patch.md, "Another processor".
 *
 * One thread unless stated otherwise. */
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

	/* One pass over all functions: events, notes, named code and data. */
	enum kymo_status (*sweep)(struct patch_module *module, struct problem *problem);
	/* Mark every potential target of a branch encoded anywhere in [start, end). */
	void (*superset)(struct patch_module *module, uint64_t start, uint64_t end);
	/* At the FDE's first instruction the stack and the return address are as a call leaves
	 * them; has_rule_out: there is a description of it. */
	bool (*is_entry)(const struct patch_module *module, const struct cfi_fde *fde,
			 bool *has_rule_out);
	/* How each function is recorded: its entry, its exits, its way. */
	enum kymo_status (*decide)(struct patch_module *module, struct problem *problem);
	/* The name of the target of a loader's stub; "" = it is no stub. */
	const char *(*stub)(const struct patch_module *module, uint64_t address);
	/* Relocation types that write a symbol's address into a word. */
	uint32_t relocations[3];

	/* The plan: planemit.h. */

	void (*emit_shared)(struct plan_blob *blob);
	bool (*emit_function)(struct plan_job *job, bool *is_entry_out);
	/* Fill in a distance in the code; address: its final address.  False: out of reach. */
	bool (*link)(const struct plan_link *link, uint8_t *place, uint64_t address,
		     uint64_t target);
	/* Processor-specific frame descriptions: the CIE after its version number, and the
	 * instructions for marks, the first of which is at first.  NULL = planframes.c's. */
	const uint8_t *frames_common;
	const size_t *frames_common_size;
	bool (*emit_frames)(struct plan_stretch *frames, const struct plan_mark *marks,
			    size_t count, uint32_t first);
	/* The jump that is written at an address: jump_bytes bytes.  False: out of reach. */
	bool (*jump)(uint64_t at, uint64_t target, uint8_t *bytes);
	uint8_t jump_bytes;
	uint8_t jump_distance_at; /* offset in it of the distance that changes when code moves;
				   * plan_write.distance_at */
	bool has_calls;	 /* call-through is possible: for exported functions without patching */
	bool has_loops;	 /* loops can be found: patchloops.h */
	bool has_copies; /* functions can be copied: planthrottle.h */
	/* Preferred distance of the code: below a position-independent file, and above a
	 * position-dependent one (0: right below it). */
	uint64_t library_gap, program_gap;
};

extern const struct patch_processor patchprocessor_x86_64, patchprocessor_aarch64;

/* NULL = files for this machine cannot be analysed. */
const struct patch_processor *patchprocessor_of(uint16_t machine);

#endif
